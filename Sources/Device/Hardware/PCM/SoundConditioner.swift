// SPDX-License-Identifier: Apache-2.0

/// Makes of what a card delivers the mono 16-bit samples that are kept: one channel, its valid bits, without
/// its offset, at the wanted rate. Pure; allocates nothing after the first call. `SoundBlocks` has one.
///
/// What needs no filter is passed on bit by bit, the upper 16 bits rounded.
struct SoundConditioner {
    private let layout: PCMLayout
    private let channel: Int
    private let mask: Int32
    private var blocker: DCBlocker?
    private var decimator: Decimator?
    private(set) var output: [Int16] = []
    /// Samples at the end of the card's scale in the last call that do not show as
    /// such in `output`.
    private(set) var hiddenClips = 0

    init(_ parameters: PCMParameters, _ layout: PCMLayout) {
        self.layout = layout
        channel = parameters.channel
        let valid = min(parameters.validBits ?? layout.format.bits, layout.format.bits)
        mask = Int32(truncatingIfNeeded: Int64(-1) << (32 - valid))
        blocker = parameters.highPass.map { DCBlocker(corner: $0, rate: Double(layout.rate)) }
        decimator = layout.decimation > 1 ? Decimator(factor: layout.decimation) : nil
        output.reserveCapacity(layout.period / layout.decimation + 2)
    }

    /// Where the first output of the next `process` belongs, in the card's frames from the first of that call:
    /// mostly negative, since the filter's delay is subtracted.
    var firstPlace: Int { decimator.map { $0.untilNext - 1 - $0.delay } ?? 0 }

    /// Forgets what was before a gap. The filter must fill again: what it takes for that
    /// belongs to the gap.
    mutating func restart() {
        blocker?.restart()
        decimator?.restart()
    }

    /// Replaces `output` by the samples of these whole frames.
    mutating func process(_ raw: UnsafeRawBufferPointer) {
        output.removeAll(keepingCapacity: true)
        hiddenClips = 0
        let step = layout.bytesPerFrame
        var offset = channel * layout.format.bytes
        while offset < raw.count {
            let wide = layout.format.sample(raw, at: offset) & mask
            offset += step
            if blocker == nil, decimator == nil { output.append(Self.upperHalf(wide)) } else { filter(wide) }
        }
    }

    private mutating func filter(_ wide: Int32) {
        // The scale's last step before its end counts too: valid bits that are cleared leave the
        // top one below it.
        let isClipped = wide == .min || wide >= (Int32.max & mask)
        var value = Double(wide) / 65_536
        value = blocker?.filter(value) ?? value
        if isClipped { hiddenClips += 1 }
        guard let decimated = decimator == nil ? value : decimator?.filter(Float(value)).map(Double.init) else {
            return
        }
        let sample = Int16(max(-32_768, min(32_767, decimated.rounded())))
        if isClipped, sample == .max || sample == .min { hiddenClips -= 1 }
        output.append(sample)
    }

    private static func upperHalf(_ wide: Int32) -> Int16 {
        Int16(truncatingIfNeeded: min(32_767, (Int64(wide) + 0x8000) >> 16))
    }
}
