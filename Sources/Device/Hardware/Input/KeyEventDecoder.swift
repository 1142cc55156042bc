// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux

/// Turns the stream of `struct input_event` that `EvdevKeys` reads into key edges. Pure; a struct cut in two by
/// a pipe is put together again.
struct KeyEventDecoder {
    enum Event: Equatable {
        case edge(KeyEdge)
        /// The kernel dropped events up to here: the caller must ask for the keys that are down and pass them
        /// to `resynchronise`.
        case overflow(at: MonotonicTime)
    }

    /// The bytes of a struct that is not whole yet.
    private var rest: [UInt8] = []
    /// The codes of the keys that are down.
    private(set) var held: Set<UInt16> = []
    /// From SYN_DROPPED to the next SYN_REPORT events are worthless (the kernel's
    /// Documentation/input/event-codes.rst).
    private var isSkipping = false
    private(set) var overflows = 0

    mutating func append(_ bytes: [UInt8]) -> [Event] {
        rest += bytes
        let size = MemoryLayout<input_event>.size
        let whole = rest.count / size
        defer { rest.removeFirst(whole * size) }
        return (0..<whole).compactMap { index in
            let event = rest.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * size, as: input_event.self) }
            return decode(event)
        }
    }

    /// The edges between what was known and the keys that are down now.
    mutating func resynchronise(held now: Set<UInt16>, at time: MonotonicTime) -> [KeyEdge] {
        let changed = held.symmetricDifference(now).sorted()
        held = now
        return changed.map { KeyEdge(code: $0, isPressed: now.contains($0), time: time) }
    }

    private mutating func decode(_ event: input_event) -> Event? {
        var event = event
        let time = MonotonicTime(nanoseconds: clinux_input_nanoseconds(&event))
        switch (CInt(event.type), CInt(event.code)) {
        case (EV_SYN, SYN_DROPPED):
            isSkipping = true
            overflows += 1
            return nil
        case (EV_SYN, SYN_REPORT) where isSkipping:
            isSkipping = false
            return .overflow(at: time)
        case (EV_KEY, _) where !isSkipping: return key(event.code, value: event.value, at: time)
        default: return nil
        }
    }

    /// Value 2 is the kernel's autorepeat: a key that is still down is no edge.
    private mutating func key(_ code: UInt16, value: Int32, at time: MonotonicTime) -> Event? {
        switch value {
        case 1 where held.insert(code).inserted: .edge(KeyEdge(code: code, isPressed: true, time: time))
        case 0 where held.remove(code) != nil: .edge(KeyEdge(code: code, isPressed: false, time: time))
        default: nil
        }
    }
}

/// A key of an event device went down or up.
package struct KeyEdge: Sendable, Hashable {
    /// The key's code, `KEY_*` or `BTN_*` of linux/input-event-codes.h.
    package let code: UInt16
    package let isPressed: Bool
    /// CLOCK_MONOTONIC, stamped by the kernel in its interrupt.
    package let time: MonotonicTime

    package init(code: UInt16, isPressed: Bool, time: MonotonicTime) {
        self.code = code
        self.isPressed = isPressed
        self.time = time
    }
}
