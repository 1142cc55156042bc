// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension SegmentSurvey {
    /// Surveys a CWA file, for `CWAFormat`: it is whole up to the end of its last good block, that is one with
    /// its place in the file as its sequence number.
    init(blocksOf file: File, _ draft: RecordingDescription) throws(FileError) {
        self.init()
        guard try file.size() >= CWAHeader.size + CWABlock.size else { return }
        var first: CWABlock?
        var isHeadDamaged = false
        var survey = CWASurvey()
        var last = -1
        let reader = try CWAReader(file, headerSize: CWAHeader.size)
        // A damaged one in the middle stays where it is: readers count and skip it, and what follows is kept.
        while let block = try reader.nextBlock() {
            let index = reader.position
            guard Int(block.sequence) == index else { continue }
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
        for jump in survey.jumps { record(jump, from: origin, period: 1 / max(draft.nominalRate, 1e-3)) }
    }

    /// A jump is a time without samples between two blocks that follow each other; it begins one sample
    /// before what is missing. `origin` is the uptime of the file's first sample.
    private mutating func record(_ jump: CWASurvey.Jump, from origin: Double, period: Double) {
        let end = origin + jump.end
        record(
            .init(
                startUptime: end - jump.length - period, endUptime: end, samples: jump.samples, reason: "unknown",
                position: jump.position))
    }
}
