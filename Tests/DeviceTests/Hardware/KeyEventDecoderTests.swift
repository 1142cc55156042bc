// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Testing

@testable import Device

private func event(_ type: CInt, _ code: CInt, _ value: Int32, at nanoseconds: Int64 = 0) -> [UInt8] {
    var event = input_event()
    clinux_input_set_nanoseconds(&event, nanoseconds)
    event.type = UInt16(type)
    event.code = UInt16(code)
    event.value = value
    return withUnsafeBytes(of: event, Array.init)
}

private func edge(_ code: UInt16, _ isPressed: Bool, _ milliseconds: Int64) -> KeyEdge {
    KeyEdge(code: code, isPressed: isPressed, time: MonotonicTime(nanoseconds: milliseconds * 1_000_000))
}

@Suite struct KeyEventDecoderTests {
    private let pressed = edge(30, true, 1500)

    @Test(arguments: 1..<47) func anEventCutInTwoIsPutTogether(_ cut: Int) {
        let bytes = EvdevKeys.encode(pressed)
        var decoder = KeyEventDecoder()
        let events = decoder.append(Array(bytes[..<cut])) + decoder.append(Array(bytes[cut...]))
        #expect(events == [.edge(pressed)])
    }

    @Test func autorepeatAndRepeatedStatesAreNoEdges() {
        var decoder = KeyEventDecoder()
        let bytes = event(EV_KEY, 30, 1) + event(EV_KEY, 30, 2) + event(EV_KEY, 30, 1) + event(EV_KEY, 31, 0)
        #expect(decoder.append(bytes) == [.edge(edge(30, true, 0))])
    }

    @Test func afterAnOverflowNothingIsBelievedUntilTheReport() {
        var decoder = KeyEventDecoder()
        let bytes =
            event(EV_KEY, 30, 1) + event(EV_SYN, SYN_DROPPED, 0) + event(EV_KEY, 31, 1)
            + event(EV_SYN, SYN_REPORT, 0, at: 7000)
        #expect(decoder.append(bytes) == [.edge(edge(30, true, 0)), .overflow(at: MonotonicTime(nanoseconds: 7000))])
        #expect(decoder.overflows == 1)
        #expect(decoder.resynchronise(held: [32], at: .zero) == [edge(30, false, 0), edge(32, true, 0)])
        // From then on what is down is known.
        #expect(decoder.resynchronise(held: [32], at: .zero) == [])
        #expect(decoder.append(event(EV_KEY, 30, 0) + event(EV_KEY, 32, 0)) == [.edge(edge(32, false, 0))])
    }

    /// The kernel repeats a held key every 33 ms.
    @Test func aKeyHeldForAMinuteIsOnePressAndOneRelease() {
        var decoder = KeyEventDecoder()
        var bytes = event(EV_KEY, 30, 1) + event(EV_SYN, SYN_REPORT, 0)
        for repetition in 0..<1800 {
            bytes += event(EV_KEY, 30, 2, at: Int64(repetition) * 33_000_000) + event(EV_SYN, SYN_REPORT, 1)
        }
        bytes += event(EV_KEY, 30, 0, at: 60_000_000_000) + event(EV_SYN, SYN_REPORT, 0)
        #expect(decoder.append(bytes) == [.edge(edge(30, true, 0)), .edge(edge(30, false, 60_000))])
        #expect(decoder.held.isEmpty)
    }
}
