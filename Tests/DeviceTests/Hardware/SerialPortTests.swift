// SPDX-License-Identifier: Apache-2.0
import CLinux
import Device
import SystemKit
import Testing

@Suite struct SerialPortTests {
    @Test func everyByteValueComesUnchanged() throws {
        let pair = try TerminalPair()
        let port = try SerialPort.open(path: pair.path, baud: 115_200)
        let all = (0...255).map { UInt8($0) }
        try pair.master.write(all)
        var received: [UInt8] = []
        while received.count < 256 {
            var poll = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(CLinux.poll(&poll, 1, 60_000) == 1)
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = try buffer.withUnsafeMutableBytes { try port.read(into: $0) }
            received += buffer.prefix(count ?? 0)
        }
        #expect(received == all)
    }

    @Test func nothingWaitingIsNoByte() throws {
        let pair = try TerminalPair()
        let port = try SerialPort.open(path: pair.path, baud: 9600)
        var buffer: [UInt8] = [0]
        let count = try buffer.withUnsafeMutableBytes { try port.read(into: $0) }
        #expect(count == nil)
    }

    /// Bytes that came before the speed was set are none.
    @Test func whatCameBeforeALineIsOpenedIsForgotten() throws {
        let pair = try TerminalPair()
        let before = try Descriptor(opening: pair.path, flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
        try pair.master.write(Array("old\n".utf8))
        var poll = pollfd(fd: before.rawValue, events: Int16(POLLIN), revents: 0)
        try #require(CLinux.poll(&poll, 1, 60_000) == 1)
        let port = try SerialPort.open(path: pair.path, baud: 9600)
        var buffer = [UInt8](repeating: 0, count: 16)
        let early = try buffer.withUnsafeMutableBytes { try port.read(into: $0) }
        #expect(early == nil)
        try pair.master.write([7])
        poll = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(CLinux.poll(&poll, 1, 60_000) == 1)
        let count = try buffer.withUnsafeMutableBytes { try port.read(into: $0) }
        #expect(count == 1 && buffer[0] == 7)
    }

    @Test func aLineInUseIsRefused() throws {
        let pair = try TerminalPair()
        let port = try SerialPort.open(path: pair.path, baud: 9600)
        let error = #expect(throws: SystemError.self) { _ = try SerialPort.open(path: pair.path, baud: 9600) }
        #expect(error?.description.contains("another program") == true)
        withExtendedLifetime(port) {}
    }

    /// errno has the fault of an earlier call.
    @Test func aSpeedThatNoLineHasIsRefusedAsSuch() throws {
        let pair = try TerminalPair()
        let port = try SerialPort.open(path: pair.path, baud: 9600)
        _ = try? SerialPort.open(path: "/nowhere/tty", baud: 9600)
        let error = #expect(throws: SystemError.self) { try port.setSpeed(1234) }
        #expect(error?.code == EINVAL && error?.place == pair.path && error?.operation.contains("9600") == true)
    }

    @Test(arguments: [("/dev/null", 9600), ("/nowhere/tty", 9600), ("/dev/null", 1234)])
    func whatIsNoLineIsNamed(_ path: String, _ baud: Int) {
        let error = #expect(throws: SystemError.self) { _ = try SerialPort.open(path: path, baud: baud) }
        #expect(error?.place == path)
    }
}
