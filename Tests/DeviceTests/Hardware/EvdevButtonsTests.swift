// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import SystemKit
import Testing

private func ms(_ value: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: value * 1_000_000) }

private func key(_ code: UInt16, _ isPressed: Bool, _ milliseconds: Int64) -> [UInt8] {
    EvdevKeys.encode(KeyEdge(code: code, isPressed: isPressed, time: ms(milliseconds)))
}

/// evdev.c: events were dropped up to the report that follows.
private let dropped: [UInt8] = [SYN_DROPPED, SYN_REPORT].flatMap { (code: CInt) -> [UInt8] in
    var event = input_event()
    event.type = UInt16(EV_SYN)
    event.code = UInt16(code)
    return withUnsafeBytes(of: event, Array.init)
}

/// A device that can be unplugged: a named pipe, which says the same to a reader when its writer
/// goes as an event device does when it is pulled out.
private final class UnpluggableDevice {
    let folder: ScratchFolder
    let path: String
    private var writer: Descriptor?

    /// In the folder of that name below its own; nil = in its own.
    init(in name: String? = nil) throws {
        folder = try ScratchFolder()
        var place = folder.path
        if let name {
            place += "/\(name)"
            mkdir(place, 0o700)
        }
        path = "\(place)/event0"
        guard mkfifo(path, 0o600) == 0 else { throw SystemError(code: EIO, operation: "make a pipe") }
    }

    /// Waits until somebody reads.
    func send(_ bytes: [UInt8]) throws {
        if writer == nil { writer = try Descriptor(opening: path, flags: O_WRONLY) }
        try writer?.write(bytes)
    }

    func unplug() {
        unlink(path)
        writer = nil
    }

    func plug() throws {
        guard mkfifo(path, 0o600) == 0 else { throw SystemError(code: EIO, operation: "make a pipe") }
    }
}

@Suite(.timeLimit(.minutes(10))) struct EvdevButtonsTests {
    @Test func aDeviceThatIsUnpluggedReleasesItsKeysAndWorksAgainWhenItIsBack() throws {
        let device = try UnpluggableDevice()
        let buttons = try EvdevButtons(try InputDeviceName(parsing: device.path), codes: [30, 31])
        let descriptor = buttons.descriptor
        try device.send(key(31, true, 10) + key(30, true, 20) + key(30, false, 30))
        #expect(
            try buttons.read() == [
                ButtonEdge(button: 1, isPressed: true, time: ms(10)),
                ButtonEdge(button: 0, isPressed: true, time: ms(20)),
                ButtonEdge(button: 0, isPressed: false, time: ms(30)),
            ])
        device.unplug()
        #expect(isReadable(descriptor))
        #expect(try buttons.read() == [])
        #expect(buttons.losses == 1 && (buttons.fault as? SystemError)?.code == ENODEV)
        #expect(buttons.due == ms(30))
        #expect(buttons.settle(at: ms(50)) == [ButtonEdge(button: 1, isPressed: false, time: ms(50))])
        #expect(buttons.due == ms(1030) && !isReadable(descriptor))
        try device.plug()
        #expect(isReadable(descriptor))
        #expect(try buttons.read() == [])
        #expect(buttons.fault == nil && buttons.due == nil && !isReadable(descriptor))
        try device.send(key(31, true, 90))
        #expect(try buttons.read() == [ButtonEdge(button: 1, isPressed: true, time: ms(90))])
        #expect(buttons.losses == 1)
    }

    /// inotify(7): a watch goes with its folder, and one that comes later in the same place is not
    /// noticed.
    @Test func aDeviceThatNoWatchCanSeeIsLookedForByTheClock() throws {
        let device = try UnpluggableDevice(in: "gone")
        let buttons = try EvdevButtons(try InputDeviceName(parsing: device.path), codes: [30])
        try device.send(key(30, true, 10))
        #expect(try buttons.read().count == 1)
        device.unplug()
        try #require(rmdir("\(device.folder.path)/gone") == 0)
        #expect(try buttons.read() == [])
        #expect(buttons.settle(at: ms(20)).count == 1 && buttons.due == ms(1010))
        while isReadable(buttons.descriptor) { #expect(try buttons.read() == []) }
        try #require(mkdir("\(device.folder.path)/gone", 0o700) == 0)
        try device.plug()
        #expect(!isReadable(buttons.descriptor))
        #expect(buttons.settle(at: ms(1009)) == [] && buttons.fault != nil)
        #expect(buttons.settle(at: ms(1010)) == [] && buttons.fault == nil && buttons.due == nil)
        try device.send(key(30, true, 1090))
        #expect(try buttons.read() == [ButtonEdge(button: 0, isPressed: true, time: ms(1090))])
    }

    /// After a second, then after twice as long each time.
    @Test func aDeviceThatStaysAwayIsLookedForEverMoreRarely() throws {
        let device = try UnpluggableDevice()
        let buttons = try EvdevButtons(try InputDeviceName(parsing: device.path), codes: [30])
        try device.send(key(30, true, 10) + key(30, false, 20))
        #expect(try buttons.read().count == 2)
        device.unplug()
        #expect(try buttons.read() == [])
        for (now, due) in [(20, 1020), (1019, 1020), (1020, 3020), (3019, 3020), (3020, 7020)] as [(Int64, Int64)] {
            #expect(buttons.settle(at: ms(now)) == [] && buttons.due == ms(due), "\(now)")
        }
        #expect(buttons.fault != nil && buttons.losses == 1)
        try device.plug()
        #expect(buttons.settle(at: ms(7020)) == [] && buttons.fault == nil && buttons.due == nil)
    }

    @Test func whatTheKernelDroppedBeforeADeviceWentIsCountedOnce() throws {
        let device = try UnpluggableDevice()
        let buttons = try EvdevButtons(try InputDeviceName(parsing: device.path), codes: [30])
        try device.send(dropped + key(30, true, 20))
        #expect(try buttons.read().map(\.missedBefore) == [1])
        device.unplug()
        #expect(try buttons.read() == [])
        #expect(buttons.overflows == 1 && buttons.settle(at: ms(50)).map(\.missedBefore) == [0])
        try device.plug()
        #expect(try buttons.read() == [])
        #expect(buttons.overflows == 1 && buttons.fault == nil)
        try device.send(key(30, true, 90) + dropped + key(30, false, 100))
        #expect(try buttons.read().map(\.missedBefore).reduce(0, +) == 1)
        #expect(buttons.overflows == 2)
    }

    @Test func theInputThreadNamesItWhileItIsAway() throws {
        let device = try UnpluggableDevice()
        let heard = try Collected<ButtonEdge>()
        let sources: [any ButtonSource] = [
            try EvdevButtons(try InputDeviceName(parsing: device.path), codes: [30])
        ]
        let thread = try InputThread(name: "inputs", buttons: sources, lines: [], clock: KernelClock()) {
            heard.add($0)
        }
        try device.send(key(30, true, 10))
        _ = heard.wait(for: 1)
        device.unplug()
        _ = heard.wait(for: 2)
        try soon("that the source is missed") { !thread.lostButtons.isEmpty }
        #expect(thread.lostButtons.map { ($0 as? SystemError)?.place } == [device.path])
        try device.plug()
        try device.send(key(30, true, 90))
        #expect(heard.wait(for: 3).map(\.isPressed) == [true, false, true])
        thread.stop()
        #expect(thread.lostButtons.isEmpty)
    }

    @Test func aKeyThatBouncesFor20MillisecondsIsOnePress() throws {
        let device = try UnpluggableDevice()
        let buttons = try EvdevButtons(
            try InputDeviceName(parsing: device.path), codes: [30], debouncePeriod: .milliseconds(20))
        for (index, time) in [100, 102, 107, 119, 120].enumerated() {
            try device.send(key(30, index % 2 == 0, Int64(time)))
        }
        #expect(try buttons.read() == [ButtonEdge(button: 0, isPressed: true, time: ms(100))])
        #expect(buttons.due == ms(140))
        #expect(buttons.settle(at: ms(140)) == [])
    }

    @Test func aDeviceThatIsNotThereIsNamed() throws {
        for name in ["input:No Such Joystick", "/dev/input/event99"] {
            let error = #expect(throws: SystemError.self) {
                _ = try EvdevButtons(try InputDeviceName(parsing: name), codes: [30])
            }
            #expect(error?.description.contains(name.hasPrefix("/") ? name : "No Such Joystick") == true)
        }
    }

    private func isReadable(_ descriptor: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }
}
