// SPDX-License-Identifier: Apache-2.0
import Base

/// What a recorder knows of the file it is writing.
final class OpenSegment {
    let file: SegmentFile
    let start: MonotonicTime
    let anchor: ClockAnchor?
    /// How far off its UTC can be; nil without an anchor.
    private(set) var wall: WallClockError?
    let offset: Int
    private let rotation: Duration
    var draft: RecordingDescription
    /// What the numbers of the file are; nil where they are the source's own.
    let layout: FileLayout?

    /// How far a file has come.
    struct Mark {
        /// Samples of the source in whole units.
        var stored = 0
        /// Samples of the file in them.
        var inFile = 0
        /// Samples of the source that were lost in the file until then.
        var lost = 0
        /// CLOCK_MONOTONIC of the first and the last of them; nil where the recorder knows.
        var span: (first: MonotonicTime, last: MonotonicTime)?

        init() {}
        init(_ encoder: some SegmentEncoder, lost: Int) {
            (stored, inFile, span) = (encoder.stored, encoder.storedInFile, encoder.span)
            self.lost = lost
        }
    }

    /// Samples given to the encoder and not given up.
    var taken = 0
    /// What is in the kernel's hands.
    var written = Mark()
    /// CLOCK_MONOTONIC of the last sample.
    var end: MonotonicTime
    /// What is missing behind the last sample; nil while samples come.
    var ending: RecordingGap?

    init<Encoder: SegmentEncoder>(
        _ context: SegmentContext, _ encoder: Encoder, _ folder: RecordingFolder, at now: MonotonicTime
    ) throws(RecordingError) {
        let name = RecordingName(number: context.number, kind: context.source.kind.rawValue)
        draft = RecordingDescription(
            context, fileName: "\(name.base).\(Encoder.fileExtension)", contentType: Encoder.contentType,
            countedUnit: encoder.countedUnit)
        layout = encoder.layout
        if let layout { draft.apply(layout) }
        start = context.start
        end = context.start
        anchor = context.anchor
        wall = context.anchor.map { WallClockError(by: $0) }
        offset = context.offset
        rotation = context.measure.rotation
        try folder.keep(draft)
        file = try SegmentFile(
            folder.folder.file(draft.partialName), interval: context.measure.syncInterval,
            start: min(now, context.start))
        try folder.folder.sync()
    }

    /// Takes in the anchors that came since it began.
    func follow(_ anchors: [ClockAnchor]) { wall?.follow(anchors) }

    /// So many more are missing behind its last sample.
    func follow(lost count: Int, until time: MonotonicTime, _ reason: LossReason) {
        let before = ending?.samples ?? 0
        ending = RecordingGap(start: end, time: time, samples: before + count, reason: reason, position: 0)
    }

    /// The smallest difference between two anchors for which a file ends.
    private static let closeEnough = Duration.milliseconds(10)

    /// True when the file should end: its time is over, the clock became known, its times are
    /// further off than an anchor that came since can be, or the zone's offset changed and the
    /// format's times are local.
    func ends(now: MonotonicTime, _ latest: ClockAnchor?, _ zone: Zone, following isLocal: Bool) -> Bool {
        if now - start >= rotation { return true }
        guard let anchor else { return latest != nil }
        if let latest {
            let off = abs((latest.instant - anchor.instant(at: latest.monotonic)).nanoseconds)
            let expected = max(Self.closeEnough, latest.uncertainty * 2)
            if off > min(expected, .milliseconds(500)).nanoseconds { return true }
        }
        return isLocal && zone.period(at: anchor.instant(at: now)).offset != offset
    }
}
