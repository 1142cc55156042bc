// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit
import Testing

@testable import Device

private func ms(_ value: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: value * 1_000_000) }

/// Keys on a named pipe, which is not there at first: it cannot come back by itself, as a
/// GPIO chip cannot.
@Suite(.timeLimit(.minutes(10))) struct AwaitedButtonsTests {
    @Test func keysThatComeLaterAreHeardAndWhatALostDeviceHeldIsReleased() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/keys"
        let buttons = try AwaitedButtons(at: .zero) {
            EvdevButtons(try EvdevKeys(path: path), codes: [30, 31])
        }
        let descriptor = buttons.descriptor
        #expect((buttons.fault as? SystemError)?.code == ENOENT && buttons.absences == 1 && buttons.due == ms(1000))
        #expect(try buttons.read() == [])

        guard mkfifo(path, 0o600) == 0 else { throw SystemError(code: EIO, operation: "make a pipe") }
        #expect(buttons.settle(at: ms(999)) == [] && buttons.fault != nil)
        #expect(buttons.settle(at: ms(1000)) == [] && buttons.fault == nil && buttons.due == nil)
        try press(path, 31, at: 1500)
        #expect(try buttons.read() == [ButtonEdge(button: 1, isPressed: true, time: ms(1500))])
        // The writer has gone: the device is at its end, as one that was pulled out.
        #expect(isReadable(descriptor))
        #expect(try buttons.read() == [])
        #expect(buttons.fault != nil && buttons.absences == 2)
        #expect(buttons.settle(at: ms(1600)) == [ButtonEdge(button: 1, isPressed: false, time: ms(1600))])
        #expect(buttons.due == ms(2500))
        #expect(buttons.settle(at: ms(2500)) == [] && buttons.fault == nil)
        try press(path, 30, at: 2600)
        #expect(try buttons.read() == [ButtonEdge(button: 0, isPressed: true, time: ms(2600))])
        #expect(buttons.descriptor == descriptor)
    }

    @Test func theInputThreadLooksForThemByItself() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/keys"
        let heard = try Collected<ButtonEdge>()
        let clock = KernelClock()
        let source = try AwaitedButtons(at: clock.monotonic) { EvdevButtons(try EvdevKeys(path: path), codes: [30]) }
        let thread = try InputThread(name: "inputs", buttons: [source], lines: [], clock: clock) { heard.add($0) }
        try soon("that they are missed") { !thread.lostButtons.isEmpty }
        guard mkfifo(path, 0o600) == 0 else { throw SystemError(code: EIO, operation: "make a pipe") }
        try press(path, 30, at: 10)  // waits until somebody reads
        #expect(heard.wait(for: 1).first?.button == 0)  // that the pipe is closed releases it, at once or later
        thread.stop()
    }

    private func press(_ path: String, _ code: UInt16, at milliseconds: Int64) throws {
        let writer = try Descriptor(opening: path, flags: O_WRONLY)
        try writer.write(EvdevKeys.encode(KeyEdge(code: code, isPressed: true, time: ms(milliseconds))))
    }

    private func isReadable(_ descriptor: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }
}
