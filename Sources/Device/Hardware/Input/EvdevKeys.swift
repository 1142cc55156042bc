// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// Keys of an event device (`/dev/input/event*`, gpio-keys), or the same structs through a pipe. `EvdevButtons`
/// reads them.
package final class EvdevKeys {
    private let device: Descriptor
    private var decoder = KeyEventDecoder()
    /// False when the device could not be set to stamp with CLOCK_MONOTONIC: it is a pipe, and its
    /// writer stamps.
    package let isEventDevice: Bool

    package convenience init(path: String) throws(SystemError) {
        try self.init(Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK))
    }

    /// Takes over a descriptor that delivers `struct input_event` and does not block.
    package init(_ device: consuming Descriptor) throws(SystemError) {
        self.device = device
        isEventDevice = clinux_input_set_clock(self.device.rawValue, CInt(CLOCK_MONOTONIC)) == 0
        if let held = keysHeld() { _ = decoder.resynchronise(held: held, at: .zero) }
    }

    package var descriptor: CInt { device.rawValue }
    /// The codes of the keys that are down, as far as is known.
    package var held: Set<UInt16> { decoder.held }
    /// How often the kernel's buffer overflowed (SYN_DROPPED); the keys' state was read again after
    /// each.
    package var overflows: Int { decoder.overflows }

    /// The edges that wait; never blocks. Throws when the device is gone.
    package func read() throws(SystemError) -> [KeyEdge] {
        guard let bytes = try device.read(upTo: 64 * MemoryLayout<input_event>.size) else { return [] }
        if bytes.isEmpty { throw SystemError(code: ENODEV, operation: "read", place: device.path) }
        var edges: [KeyEdge] = []
        for event in decoder.append(bytes) {
            switch event {
            case .edge(let edge): edges.append(edge)
            case .overflow(let time):
                if let held = keysHeld() { edges += decoder.resynchronise(held: held, at: time) }
            }
        }
        return edges
    }

    /// The keys that are down now; nil on a pipe, which cannot be asked.
    private func keysHeld() -> Set<UInt16>? {
        var bits = [UInt8](repeating: 0, count: Int(KEY_MAX) / 8 + 1)
        guard clinux_input_keys(device.rawValue, &bits, CInt(bits.count)) >= 0 else { return nil }
        return Set((0...UInt16(KEY_MAX)).filter { bits[Int($0) / 8] & (1 << ($0 % 8)) != 0 })
    }

    /// For tests: the bytes a kernel would deliver for an edge: the key event and the report that ends it.
    package static func encode(_ edge: KeyEdge) -> [UInt8] {
        var key = input_event()
        clinux_input_set_nanoseconds(&key, edge.time.nanoseconds)
        var report = key
        key.type = UInt16(EV_KEY)
        key.code = edge.code
        key.value = edge.isPressed ? 1 : 0
        report.type = UInt16(EV_SYN)
        report.code = UInt16(SYN_REPORT)
        return withUnsafeBytes(of: key, Array.init) + withUnsafeBytes(of: report, Array.init)
    }
}
