// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Glibc
import Testing

/// The joystick of `Tests/mocks/mock_input.c`.
private struct Joystick {
    static func key(_ code: CInt, _ isDown: Bool, isTold: Bool = true) throws {
        try MockedKernel.function("mock_input_key", (@convention(c) (CInt, CInt, CInt) -> Void).self)(
            code, isDown ? 1 : 0, isTold ? 1 : 0)
    }
    static func overflow() throws {
        try MockedKernel.function("mock_input_overflow", (@convention(c) () -> Void).self)()
    }
    static func plug(_ isPlugged: Bool) throws {
        try MockedKernel.function("mock_input_plug", (@convention(c) (CInt) -> Void).self)(isPlugged ? 1 : 0)
    }
    static var clock: CInt {
        get throws { try MockedKernel.function("mock_input_clock", (@convention(c) () -> CInt).self)() }
    }
}

/// Runs only below a mocked kernel; `MockedInputTests` starts it.
@Suite(.serialized, .enabled(if: MockedKernel.isInside), .timeLimit(.minutes(10))) struct UnderMockedInput {
    init() throws { try Joystick.plug(true) }

    private func open() throws -> EvdevButtons {
        try EvdevButtons(try InputDeviceName(parsing: "input:Mock Joystick"), codes: [UInt16(KEY_LEFT), 28])
    }

    @Test func pressesAreStampedWithTheMonotonicClock() throws {
        let buttons = try open()
        #expect(try Joystick.clock == CLOCK_MONOTONIC)
        let before = KernelClock().monotonic
        try Joystick.key(KEY_LEFT, true)
        let after = KernelClock().monotonic
        let edges = try buttons.read()
        #expect(edges.map(\.button) == [0] && edges.map(\.isPressed) == [true])
        let time = try #require(edges.first?.time)  // whole microseconds
        #expect(time >= before - .microseconds(1) && time <= after)
    }

    @Test func afterAnOverflowTheKeysAreAskedFor() throws {
        let buttons = try open()
        try Joystick.key(KEY_LEFT, true)
        try Joystick.key(KEY_LEFT, false, isTold: false)
        try Joystick.key(KEY_ENTER, true, isTold: false)
        try Joystick.overflow()
        let edges = try buttons.read()
        #expect(edges.map(\.button) == [0, 1, 0] && edges.map(\.isPressed) == [true, true, false])
        #expect(buttons.overflows == 1)
        // evdev.c (SYN_DROPPED) says that events are gone, not how many: one at the least, and it
        // is reported once.
        #expect(edges.map(\.missedBefore).reduce(0, +) == 1)
        try Joystick.key(KEY_ENTER, false)
        #expect(try buttons.read().map(\.missedBefore) == [0])
    }

    @Test func aKeyThatIsHeldAlreadyIsNoPress() throws {
        try Joystick.key(KEY_LEFT, true)
        let buttons = try open()
        try Joystick.key(KEY_ENTER, true)
        #expect(try buttons.read().map(\.button) == [1])
        try Joystick.key(KEY_LEFT, false)
        let edges = try buttons.read()
        #expect(edges.map(\.button) == [0] && edges.map(\.isPressed) == [false])
    }

    @Test func aDeviceThatIsPulledOutIsNamedAndReleased() throws {
        let buttons = try open()
        try Joystick.key(KEY_LEFT, true)
        #expect(try buttons.read().count == 1)
        try Joystick.plug(false)
        #expect(try buttons.read() == [])
        #expect(buttons.fault.map { "\($0)".contains("/dev/input/event7") } == true)
        let now = KernelClock().monotonic
        #expect(buttons.settle(at: now) == [ButtonEdge(button: 0, isPressed: false, time: now)])
        try Joystick.plug(true)
        #expect(try buttons.read() == [])
        #expect(buttons.fault == nil && buttons.losses == 1)
        #expect(try Joystick.clock == CLOCK_MONOTONIC)
        try Joystick.key(KEY_LEFT, true)
        #expect(try buttons.read().map(\.isPressed) == [true])
    }
}

@Suite(.timeLimit(.minutes(10))) struct MockedInputTests {
    @Test(.enabled(if: !MockedKernel.isInside && MockedKernel.input.isAvailable))
    func keysAreRightAboutTheKernelsOwnCalls() throws {
        let (status, output) = try MockedKernel.input.run(suite: "UnderMockedInput")
        #expect(status == 0, "\(output)")
        #expect(output.contains("Test run with 4 tests"), "\(output)")
    }
}
