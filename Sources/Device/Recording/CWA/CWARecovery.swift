// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension SegmentSurvey {
    /// Surveys a CWA file: it is whole up to the end of its last good block, that is one with its place in the
    /// file as its sequence number.
    mutating func surveyBlocks(_ file: File, _ draft: RecordingDescription) throws(FileError) {
        guard try file.size() >= CWAHeader.size else { return }
        var first: CWABlock?
        var isHeadDamaged = false
        var survey = CWASurvey()
        var last = -1
        try Self.forEachBlock(of: file) { block, index in
            if first == nil { (first, isHeadDamaged) = (block, index > 0) }
            let (skipped, known) = ((index - last - 1) * block.packing.capacity, survey.missing)
            survey.add(block)
            // Blocks that were skipped may show as a jump in time, too, which becomes a gap below: those
            // samples are counted there.
            damagedSamples += max(0, skipped - (survey.missing - known))
            last = index
            stored += block.count
            mostWaiting = block.packing.capacity
            bytes = CWAHeader.size + (index + 1) * CWABlock.size
            if let from = first?.time.local, let to = block.local(of: block.count - 1) {
                duration = (to.instant(offset: 0) - from.instant(offset: 0)).seconds
            }
        }
        guard let start = first?.time.local?.instant(offset: 0) else { return }
        let origin = draft.uptime(ofLocal: start)
        // The first sample is later than the beginning of the file where a resampler had to fill, and where the
        // first blocks are damaged.
        if draft.resampled != nil || isHeadDamaged, abs(origin - draft.startUptime) < 60 {
            firstUptime = origin
            duration += origin - draft.startUptime
        }
        // A jump is a time without samples between two blocks that follow each other; it begins one
        // sample before what is missing.
        for jump in survey.jumps {
            let end = origin + jump.end
            record(
                .init(
                    startUptime: end - jump.length - 1 / max(draft.nominalRate, 1e-3), endUptime: end,
                    samples: jump.samples, reason: "unknown", position: jump.position))
        }
    }

    /// The good blocks. A damaged one in the middle stays where it is: readers count and skip it, and what
    /// follows is kept.
    private static func forEachBlock(of file: File, _ body: (CWABlock, _ index: Int) -> Void) throws(FileError) {
        var place = CWAHeader.size
        while true {
            let piece = try file.read(128 * CWABlock.size, at: place)
            for start in stride(from: 0, to: piece.count, by: CWABlock.size) {
                let index = (place + start - CWAHeader.size) / CWABlock.size
                guard start + CWABlock.size <= piece.count,
                    let block = CWABlock(Array(piece[start..<start + CWABlock.size])), Int(block.sequence) == index
                else { continue }
                body(block, index)
            }
            place += piece.count
            if piece.isEmpty { break }
        }
    }
}
