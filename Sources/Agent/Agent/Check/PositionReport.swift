// SPDX-License-Identifier: Apache-2.0
import Device

/// What `PositionProbe` received at one speed. Pure.
struct PositionReport: Sendable {
    let baud: Int
    private(set) var bytes = 0
    private(set) var sentences = 0
    /// The best fix: 0 nothing known, 1 no position, 2 without height, 3 with height.
    private(set) var mode = 0
    /// How many the last fix used; nil = no sentence said.
    private(set) var satellites: Int?
    /// Everything that was received, which is little: at most some seconds of it.
    private var received: [UInt8] = []
    private static let mostBytes = 1 << 20

    init(baud: Int) { self.baud = baud }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        self.bytes += bytes.count
        received += bytes.prefix(max(0, Self.mostBytes - received.count))
        decode(isAll: false)
    }

    /// The last epoch has no successor that would end it.
    mutating func end() { decode(isAll: true) }

    /// Decodes all of it again, from the beginning.
    private mutating func decode(isAll: Bool) {
        var framer = NMEAFramer()
        var epochs = NMEAEpochs()
        var fixes: [Fix] = []
        framer.append(received) { sentence in if let fix = epochs.append(sentence) { fixes.append(fix) } }
        if isAll, let fix = epochs.flush() { fixes.append(fix) }
        sentences = framer.sentences
        mode = fixes.map(\.mode).max() ?? 0
        satellites = fixes.compactMap(\.satellites).last
    }
}
