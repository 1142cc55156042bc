// SPDX-License-Identifier: Apache-2.0
import Times

/// The panel's buttons as keys of an event device. Keys that are no button are ignored.
public final class EvdevButtons: ButtonSource {
    private let keys: EvdevKeys
    private let buttons: [UInt16: Int]

    /// Buttons by the codes of their keys, in the board's order.
    public init(_ keys: sending EvdevKeys, codes: [UInt16]) {
        self.keys = keys
        buttons = Dictionary(zip(codes, codes.indices), uniquingKeysWith: { first, _ in first })
    }

    /// Of the event device; owned by the keys, so it must not be closed.
    public var descriptor: CInt { keys.descriptor }

    /// Edges at the kernel's time stamps, CLOCK_MONOTONIC; button numbers are positions among the codes.
    public func read() throws(SystemError) -> [ButtonEdge] {
        try keys.read().compactMap { edge in
            buttons[edge.code].map { ButtonEdge(button: $0, isPressed: edge.isPressed, time: edge.time) }
        }
    }
}
