// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a recorder knows of the file it is writing: how far it has come, and its description.
///
/// `Recorder` calls `noteWritten` after each write, `noteHandedOver` when the kernel has what was written,
/// `record` at a gap, and `finished` when the file has ended. Samples go from `taken` through the encoder's
/// units to `written`; of an encrypted file, age's chunks of 64 KB hold them back.
final class OpenSegment {
    let file: SegmentFile
    let start: MonotonicTime
    private let anchor: ClockAnchor?
    /// How far off its UTC can be; nil without an anchor.
    private var clockError: WallClockError?
    private let offset: Int
    /// When the zone's offset may change next, so that not every sample asks the zone; nil = not within two years, or
    /// the clock is not known.
    private let nextOffsetChange: MonotonicTime?
    private let rotation: Duration
    /// In an encrypted file samples wait no longer than this for their chunk to fill: then the file
    /// ends. Nil for files in the clear.
    private let longestWait: Duration?
    /// The description with which the file began.
    private let beginning: RecordingDescription
    /// The description, with the losses and gaps so far.
    var draft: RecordingDescription
    /// Gaps do not show in the file, only in its description.
    private let hidesGaps: Bool
    /// What the numbers of the file are; nil where they are the source's own.
    private let layout: FileLayout?

    /// How far a file has come.
    struct Progress {
        /// Samples of the source in whole units.
        var stored = 0
        /// Samples of the file in them.
        var inFile = 0
        /// Samples of the source that were lost in the file until then.
        var lost = 0
        /// CLOCK_MONOTONIC of the first and the last of them; nil where every sample given to the
        /// encoder is in the file, whose times the recorder knows.
        var span: (first: MonotonicTime, last: MonotonicTime)?

        init() {}
        init(_ encoder: some SegmentEncoder, lost: Int) {
            (stored, inFile, span) = (encoder.stored, encoder.storedInFile, encoder.span)
            self.lost = lost
        }
    }

    /// Samples given to the encoder and not given up.
    var taken = 0
    /// What is stored of the file: as `handedOver`, and of one in the clear also what the journal has
    /// by now (`Recorder.noteJournal`).
    var written = Progress()
    /// What the kernel has of the file.
    var handedOver = Progress()
    /// Of an encrypted file: how far it had come after each write that is not in a whole chunk yet, and how many
    /// bytes of content that was.
    private var unchunked: [(content: Int, progress: Progress)] = []
    /// Bytes that were in whole chunks at the last write.
    private var bytesInChunks = 0
    /// `written.stored` as `describeProgress` gave it last.
    private var described = 0
    /// Since when something waits for its chunk.
    private var waitingSince: MonotonicTime
    /// CLOCK_MONOTONIC of the last sample.
    var end: MonotonicTime
    /// What is missing after the last sample; nil while samples come.
    var ending: RecordingGap?

    init<Encoder: SegmentEncoder>(
        _ context: SegmentContext, _ encoder: Encoder, _ folder: RecordingFolder, at now: MonotonicTime
    ) throws(FileError) {
        let name = RecordingName(number: context.number, kind: context.source.kind.rawValue)
        draft = RecordingDescription(
            context, fileName: "\(name.base).\(Encoder.fileExtension)", contentType: Encoder.contentType,
            countedUnit: encoder.countedUnit)
        layout = encoder.layout
        hidesGaps = encoder.gapEndsFile
        if let layout { draft.apply(layout) }
        start = context.start
        end = context.start
        anchor = context.anchor
        clockError = context.anchor.map { WallClockError(by: $0) }
        offset = context.offset
        nextOffsetChange = context.anchor.flatMap { anchor in
            context.origin.zone.nextChange(after: anchor.instant(at: context.start)).map { anchor.monotonic(at: $0) }
        }
        rotation = context.measure.rotation
        longestWait = folder.encryption?.patience
        waitingSince = now
        let encrypter = try folder.encryption?.encrypter(of: &draft, for: context.measure)
        beginning = draft
        try folder.saveDraft(draft)
        file = try SegmentFile(
            folder.folder.file(draft.partialName), interval: context.measure.syncInterval,
            start: min(now, context.start), waitsForMedium: folder.waitsForMedium, encrypter: encrypter)
        try folder.folder.sync()
    }

    /// Takes in the anchors that came since it began.
    func follow(_ anchors: [ClockAnchor]) { clockError?.follow(anchors) }

    /// This many more are missing after its last sample.
    func noteMissing(_ count: Int, until time: MonotonicTime, _ reason: LossReason) {
        let before = ending?.samples ?? 0
        ending = RecordingGap(start: end, time: time, samples: before + count, reason: reason, position: 0)
    }

    /// Bytes up to `progress` were appended to the file, perhaps only to its buffer.
    func noteWritten(_ progress: Progress, at now: MonotonicTime) {
        guard file.isEncrypted else { return }
        let (all, inChunks) = file.content
        unchunked.append((all, progress))
        if inChunks != bytesInChunks { (bytesInChunks, waitingSince) = (inChunks, now) }
    }

    /// Everything so far is in the kernel's hands; of an encrypted file what is in whole chunks.
    func noteHandedOver(_ progress: Progress) {
        guard file.isEncrypted, !file.isEnded else {
            (handedOver, written, unchunked) = (progress, progress, [])
            return
        }
        let inChunks = unchunked.prefix { $0.content <= file.contentInFile }
        unchunked.removeFirst(inChunks.count)
        if let last = inChunks.last { (handedOver, written) = (last.progress, last.progress) }
    }

    /// Whether an encrypted file has more in whole chunks than `describeProgress` has described.
    var hasProgress: Bool { file.isEncrypted && written.stored > described }

    /// The description of the beginning with how far the file has come, kept while the file is open for
    /// what cannot be read from the file itself: everything of an encrypted one without a key, and hidden
    /// gaps. Sets `described`.
    func describeProgress(_ source: SourceDescription) -> RecordingDescription {
        described = written.stored
        var progress = beginning
        if hidesGaps { progress.gaps = draft.gaps.filter { !file.isEncrypted || $0.position < written.inFile } }
        for gap in progress.gaps { progress.samplesLost[gap.reason, default: 0] += gap.samples }
        progress.endUptime = Double((written.span?.last ?? end).nanoseconds) / 1e9
        progress.setCounts(stored: written.stored, inFile: written.inFile, layout: layout, source: source)
        if let anchor { progress.setClock(anchor, offset: offset) }
        return progress
    }

    /// The smallest difference between two anchors for which a file ends.
    private static let leastStep = Duration.milliseconds(10)

    /// True when the file should end: its time is over, the clock became known, or its times are
    /// further off than an anchor that came since can be.
    func shouldEnd(now: MonotonicTime, _ latest: ClockAnchor?) -> Bool {
        if now - start >= rotation { return true }
        if let longestWait, now - waitingSince >= longestWait { return true }
        guard let anchor else { return latest != nil }
        if let latest {
            let off = abs((latest.instant - anchor.instant(at: latest.monotonic)).nanoseconds)
            let expected = max(Self.leastStep, latest.uncertainty * 2)
            // Half a second is too far however uncertain the anchor is.
            if off > min(expected, .milliseconds(500)).nanoseconds { return true }
        }
        return false
    }

    /// Whether the zone has another offset at that time. A description has one offset, from which readers compute the
    /// wall-clock time of each sample of its file.
    func changesOffset(at time: MonotonicTime, in zone: Zone) -> Bool {
        guard let anchor, let nextOffsetChange, time >= nextOffsetChange else { return false }
        return zone.period(at: anchor.instant(at: time)).offset != offset
    }

    /// Notes a gap of the source in the file's own samples and times; `reached` is how far the
    /// encoder has come before it, `startDelay` the encoder's, `ratio` the source's rate as measured to
    /// its nominal one.
    func record(_ gap: RecordingGap, _ reached: Progress, startDelay: Duration, ratio: Double) {
        var gap = gap
        gap.position = layout?.resampledRate == nil ? taken : reached.inFile
        if let last = reached.span?.last { gap.start = last }
        if let rate = layout?.resampledRate {
            gap.time = gap.time + startDelay
            gap.samples = max(0, Int(((gap.time - gap.start).seconds * rate * ratio).rounded()) - 1)
        }
        // Before the first whole unit there is nothing of which it could be a gap.
        if gap.position > 0 || reached.span != nil { draft.record(gap) }
    }

    /// The description of the finished file. `errors` and `rate` are the timeline's of this file.
    func finished(
        _ source: SourceDescription, fields: RecordingDescription.FieldNotes?, errors: SampleTimeErrors?,
        rate: (rate: Double, error: Double)?, _ anchors: [ClockAnchor]
    ) -> RecordingDescription {
        var draft = self.draft
        draft.state = .finished
        if let fields { draft.fields = fields }
        draft.endUptime = Double((written.span?.last ?? end).nanoseconds) / 1e9
        if let first = written.span?.first { draft.setFirstSample(at: Double(first.nanoseconds) / 1e9) }
        // What is missing after the last sample is no gap in the file; where it ended the file, it
        // is reported last.
        draft.gaps.removeAll { $0.position >= written.inFile }
        if var ending {
            (ending.start, ending.position) = (written.span?.last ?? end, written.inFile)
            ending.samples = Int((Double(ending.samples) * (layout?.ratio(to: source.nominalRate) ?? 1)).rounded())
            draft.record(ending)
        }
        if let errors {
            draft.timeError = errors.largest.seconds
            draft.steadyTimeError = errors.steady?.seconds
        } else if source.stampError > 0 {
            draft.timeError = source.stampError
        }
        if let anchor { draft.setClock(anchor, offset: offset) }
        follow(anchors)
        // Samples that all came before the anchor of their times are bounded by the anchors around them.
        if let anchor, end < anchor.monotonic { clockError = WallClockError(by: anchor, anchors) }
        draft.clockError = clockError?.bound(from: start, to: end)
        if let (rate, error) = rate { draft.setRate(rate, error: error) }
        draft.setCounts(stored: written.stored, inFile: written.inFile, layout: layout, source: source)
        // A file that waits for its clock must list first the anchor that `RecordingFolder.seal` chooses.
        guard anchor != nil else { return draft }
        for anchor in anchors where anchor.monotonic >= start { draft.record(anchor) }
        return draft
    }
}
