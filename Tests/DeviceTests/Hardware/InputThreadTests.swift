// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import SystemKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct InputThreadTests {
    @Test func pressesReachTheirListenerAsButtons() throws {
        let pipe = try Pipe(name: "keys")
        let heard = try Collected<ButtonEdge>()
        let thread = try InputThread(name: "inputs", buttons: [try buttons(pipe)], lines: [], clock: KernelClock()) {
            heard.add($0)
        }
        let times = [10, 20, 30].map { MonotonicTime(nanoseconds: $0 * 1_000_000) }
        try pipe.writing.write(
            EvdevKeys.encode(KeyEdge(code: 31, isPressed: true, time: times[0]))
                + EvdevKeys.encode(KeyEdge(code: 99, isPressed: true, time: times[1]))
                + EvdevKeys.encode(KeyEdge(code: 31, isPressed: false, time: times[2])))
        #expect(
            heard.wait(for: 2) == [
                ButtonEdge(button: 1, isPressed: true, time: times[0]),
                ButtonEdge(button: 1, isPressed: false, time: times[2]),
            ])
        thread.stop()
        thread.stop()
        #expect(thread.lostButtons.isEmpty)
    }

    @Test func aSourceThatGoesAwayIsCountedAndTheOthersGoOn() throws {
        let staying = try Pipe(name: "staying")
        let heard = try Collected<ButtonEdge>()
        let sources: [any ButtonSource] = [try goneButtons(), try buttons(staying)]
        let thread = try InputThread(name: "inputs", buttons: sources, lines: [], clock: KernelClock()) {
            heard.add($0)
        }
        try staying.writing.write(EvdevKeys.encode(KeyEdge(code: 30, isPressed: true, time: .zero)))
        #expect(heard.wait(for: 1) == [ButtonEdge(button: 0, isPressed: true, time: .zero)])
        try soon("that the source is missed") { !thread.lostButtons.isEmpty }
        #expect(thread.lostButtons.map { ($0 as? SystemError)?.place } == ["keys"])
        thread.stop()
    }

    /// Nothing of it is due, so that no alarm looks at it later.
    @Test func aSourceThatMayComeBackIsMissedFromTheReadThatFindsIt() throws {
        let pipe = try Pipe(name: "keys")
        try pipe.writing.write([1])
        let source: [any ButtonSource] = [LeavingButtons(pipe)]
        let thread = try InputThread(name: "inputs", buttons: source, lines: [], clock: KernelClock()) { _ in }
        try soon("that the source is missed") { !thread.lostButtons.isEmpty }
        #expect(thread.lostButtons.map { ($0 as? SystemError)?.place } == ["the panel"])
        thread.stop()
    }

    private func buttons(_ pipe: borrowing Pipe) throws -> EvdevButtons {
        let keys = try EvdevKeys(Descriptor(owning: dup(pipe.reading.rawValue), path: "keys"))
        return EvdevButtons(keys, codes: [30, 31])
    }

    private func goneButtons() throws -> EvdevButtons { try buttons(try Pipe(name: "gone")) }
}

/// Is away from the first read on.
private final class LeavingButtons: ButtonSource {
    private let end: Descriptor
    private(set) var fault: (any Error)?

    init(_ pipe: borrowing Pipe) { end = Descriptor(owning: dup(pipe.reading.rawValue), path: "keys") }

    var descriptor: CInt { end.rawValue }

    func read() throws(SystemError) -> [ButtonEdge] {
        _ = try end.read(upTo: 16)
        fault = SystemError(code: ENODEV, operation: "read", place: "the panel")
        return []
    }
}
