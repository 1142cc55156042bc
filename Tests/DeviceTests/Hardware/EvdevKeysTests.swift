// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import SystemKit
import Testing

private func edge(_ code: UInt16, _ isPressed: Bool, _ milliseconds: Int64) -> KeyEdge {
    KeyEdge(code: code, isPressed: isPressed, time: MonotonicTime(nanoseconds: milliseconds * 1_000_000))
}

@Suite(.timeLimit(.minutes(10))) struct EvdevKeysTests {
    let pressed = edge(30, true, 1500)
    let released = edge(30, false, 1620)

    @Test func edgesComeThroughAPipeWithTheirTimes() throws {
        let pipe = try Pipe(name: "keys")
        let keys = try EvdevKeys(Descriptor(owning: dup(pipe.reading.rawValue), path: "keys"))
        #expect(!keys.isEventDevice)
        #expect(try keys.read() == [])
        try pipe.writing.write(EvdevKeys.encode(pressed) + EvdevKeys.encode(released))
        #expect(try keys.read() == [pressed, released])
    }

    @Test func aClosedPipeIsADeviceThatIsGone() throws {
        let keys = try closedPipe()
        #expect(throws: SystemError.self) { try keys.read() }
    }

    private func closedPipe() throws -> EvdevKeys {
        let pipe = try Pipe(name: "keys")
        return try EvdevKeys(Descriptor(owning: dup(pipe.reading.rawValue), path: "keys"))
    }
}
