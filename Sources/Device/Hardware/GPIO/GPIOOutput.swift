// SPDX-License-Identifier: Apache-2.0
import CGPIO
import CLinux
import Synchronization
import SystemKit

/// One line of a GPIO chip as an output: a vibration motor, an active buzzer, an LED. `LineBuzzer` and
/// `GPIOLED` switch it.
///
/// It is turned off before it is released, and when the process ends by `exit` without releasing
/// it. When a process is killed, the kernel frees the line, and its level depends on the chip's driver; the next
/// process that takes it turns it off.
package final class GPIOOutput: Sendable {
    private struct Line: ~Copyable {
        let request: OpaquePointer
        /// Turns the line off, too.
        deinit { cgpio_output_release(request) }
    }

    private let chip: String
    private let line: UInt32
    private let output: Mutex<Line?>

    /// Takes a line of a chip (`/dev/gpiochip0`, `gpiochip0` or `gpio:LABEL`) and turns it off.
    package init(chip: String, line: UInt32, isActiveLow: Bool = false, consumer: String = "studyd") throws(GPIOError) {
        let chip = try GPIOLines.path(chip)
        var step = CGPIO_STEP_NONE
        guard let request = cgpio_output_request(chip, line, isActiveLow, false, consumer, &step) else {
            throw GPIOLines.error(chip, [line], step)
        }
        self.chip = chip
        self.line = line
        output = Mutex(Line(request: request))
    }

    /// Turns the line on or off; any thread.
    package func set(_ isOn: Bool) throws(SystemError) {
        let code = output.withLock { line -> CInt in
            switch line {
            case .some(let line): cgpio_output_set(line.request, isOn) == 0 ? 0 : SystemError.last("").code
            case .none: EBADF  // released
            }
        }
        if code != 0 { throw SystemError(code: code, operation: "set line \(line) of", place: chip) }
    }

    package func close() { output.withLock { $0 = nil } }
}
