// SPDX-License-Identifier: Apache-2.0

/// How a board file names a buzzer: a PWM channel such as `/sys/class/pwm/pwmchip0/pwm0` for one
/// that is given its pitch, or a line such as `/dev/gpiochip0:22` for an active one.
package enum BuzzerName: Sendable, Hashable {
    case channel(String)
    case line(GPIOLineName)

    package init(parsing text: String) throws(DeviceNameError) {
        if text.hasPrefix("/") && !text.hasPrefix("/dev/") {
            self = .channel(text)
        } else if text.contains(":") {
            self = .line(try GPIOLineName(parsing: text))
        } else {
            throw DeviceNameError(
                name: text, expected: "/sys/class/pwm/pwmchipN/pwmN, or a line such as /dev/gpiochip0:22")
        }
    }

    package var hasPitch: Bool {
        if case .channel = self { true } else { false }
    }

    /// Opens the buzzer, which is silent. Throws GPIOError for lines, SystemError for channels.
    package func open() throws -> any Buzzer {
        switch self {
        case .channel(let path): try SysfsPWMBuzzer(directory: path)
        case .line(let name): LineBuzzer(try name.output())
        }
    }
}
