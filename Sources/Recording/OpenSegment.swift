// SPDX-License-Identifier: Apache-2.0
import Times

/// What a recorder knows of the file it is writing.
final class OpenSegment {
    let file: SegmentFile
    let start: MonotonicTime
    let anchor: ClockAnchor?
    let offset: Int
    private let rotation: Duration
    var draft: RecordingDescription
    /// Samples given to the encoder and not given up.
    var taken = 0
    /// Samples in units that are in the kernel's hands.
    var written = 0
    /// CLOCK_MONOTONIC of the last sample.
    var end: MonotonicTime

    init(
        _ context: SegmentContext, _ encoder: some SegmentEncoder, _ folder: RecordingFolder, at now: MonotonicTime
    ) throws(RecordingError) {
        let name = RecordingName(number: context.number, kind: context.source.kind.rawValue)
        draft = RecordingDescription(
            context, fileName: "\(name.base).\(encoder.fileExtension)", contentType: encoder.contentType,
            countedUnit: encoder.countedUnit)
        start = context.start
        end = context.start
        anchor = context.anchor
        offset = context.offset
        rotation = context.measure.rotation
        try folder.keep(draft)
        file = try SegmentFile(
            folder.folder.file(draft.partialName), interval: context.measure.syncInterval,
            start: min(now, context.start))
        try folder.folder.sync()
    }

    /// True when the file should end: its time is over, the clock became known or stepped, or the zone's offset changed.
    func ends(now: MonotonicTime, _ encoder: some SegmentEncoder, _ latest: ClockAnchor?, _ zone: Zone) -> Bool {
        if now - start >= rotation { return true }
        guard let anchor else { return latest != nil }
        if let latest {
            let step = latest.instant - anchor.instant(at: latest.monotonic)
            if abs(step.nanoseconds) > 500_000_000 { return true }
        }
        return encoder.carriesLocalTime && zone.period(at: anchor.instant(at: now)).offset != offset
    }
}
