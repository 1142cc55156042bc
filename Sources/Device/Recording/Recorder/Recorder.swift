// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The recorder of one source into files of one format. One thread owns it. It calls `take`, which empties the
/// ring; makes what is written durable (`sync`, or `additions` and `noteJournal`); then calls `settle`, which
/// ends and seals files. `SampleRecorder` describes all members. `RecorderLoop` has one for each measure.
///
/// In `counts` every sample that is due is once stored, lost or held (in memory), also where the disk fails.
package final class Recorder<Encoder: SegmentEncoder>: SampleRecorder {
    /// Written beside every file.
    package let source: SourceDescription
    /// The latest fault of a file; nil again once something was written.
    package private(set) var fault: FileError?
    private let ring: FrameRing<Encoder.Frame>
    private let folder: RecordingFolder
    private let measure: MeasureConfiguration
    private let origin: RecordingOrigin
    private var encoder: Encoder
    /// Read once: in this generic class each use of an encoder's property would copy the encoder.
    private let isRegular: Bool
    private var timeline: SampleTimeline<Encoder.Frame>
    private var ledger = SampleCounts()
    private var segment: OpenSegment?
    private var finished: FinishedFiles
    /// Frames that the ring had dropped when it was emptied last.
    private var seenOverruns = 0
    /// Samples that `miss` counted as lost since the last one came: the gap that the source reports when
    /// it is back includes them, and they are not counted again.
    private var missed = 0
    private var withholding = Withholding()
    private var anchors: [ClockAnchor] = []
    /// CLOCK_MONOTONIC of the latest call that gave a time.
    private var now = MonotonicTime.zero
    /// The time between the last two calls of `take`.
    private var callInterval = Duration.zero
    /// After a fault of the disk: no new file is tried before then.
    private var retryAt: MonotonicTime?
    private var mirrors: [FrameRing<Encoder.Frame>] = []
    private var beginTime: MonotonicTime?
    private var endTime: MonotonicTime?
    package private(set) var hasEnded = false

    /// A recorder that begins its first file with the first sample.
    package init(
        ring: FrameRing<Encoder.Frame>, encoder: Encoder, source: SourceDescription, measure: MeasureConfiguration,
        origin: RecordingOrigin, folder: RecordingFolder
    ) {
        self.ring = ring
        self.encoder = encoder
        isRegular = encoder.isRegular
        self.source = source
        self.measure = measure
        self.origin = origin
        self.folder = folder
        finished = FinishedFiles(in: folder, zone: origin.zone)
        timeline = SampleTimeline(nominalRate: source.nominalRate, isRegular: isRegular)
        seenOverruns = ring.overruns
    }

    /// Samples of the open file are stored as far as they are in whole units of it, the last
    /// seconds of which wait for the next sync; what the file has by now is `openFileStatus`.
    package var counts: SampleCounts {
        var counts = ledger
        if segment != nil { counts.stored += encoder.stored }
        return counts
    }
    package var countedUnit: CountedUnit { encoder.countedUnit }
    /// By regression of the stamps over monotonic time.
    package var measuredRate: Double? { timeline.measuredRate }
    package var openFile: String? { segment?.draft.partialName }
    /// As far as the kernel has it; the journal has more of it, and memory up to a sync interval.
    package var openFileStatus: OpenFileStatus? {
        segment.map {
            OpenFileStatus(
                name: $0.draft.partialName, begun: $0.start, until: $0.end, stored: $0.handedOver.inFile,
                lost: $0.handedOver.lost, lostAtEnd: $0.ending?.samples ?? 0)
        }
    }
    /// Those of this run; drafts of earlier boots are the recovery's.
    package var waitingFiles: Int { finished.count }

    package func begin(at time: MonotonicTime) { beginTime = time }

    package func end(after time: MonotonicTime) { endTime = time }

    /// The mirror begins with the frames that wait in the recorder's ring now.
    package func mirror(into ring: RecorderInput) -> Bool {
        guard let ring = ring.ring(of: Encoder.Frame.self) else { return false }
        mirrors.append(ring)
        return true
    }

    /// Does nothing for a ring that is not a mirror.
    package func endMirror(into ring: RecorderInput) {
        guard let ring = ring.ring(of: Encoder.Frame.self) else { return }
        mirrors.removeAll { $0 === ring }
    }

    package func mirrorLevels(into ring: FrameRing<LevelFrame>) -> Bool { encoder.mirrorLevels(into: ring) }

    package func record(battery volts: Double?) { encoder.record(battery: volts) }

    package func mark(at time: MonotonicTime) { encoder.mark(at: time) }

    package func withhold(_ span: Range<MonotonicTime>) { withholding.span = span }

    private func countWithheld(_ count: Int, until time: MonotonicTime) {
        withholding.add(count)
        if ledger.first != nil { ledger.last = time }
        lose(count, .privacy)
        segment?.noteMissing(count, until: time, .privacy)
    }

    private func endWithheld(at time: MonotonicTime) {
        let count = withholding.drain()
        guard count > 0 else { return }
        record(RecordingGap(time: time, samples: count, reason: .privacy, position: 0), losing: 0)
    }

    /// Before the first sample nothing is counted: the whole measure is missing then.
    package func miss(until time: MonotonicTime, _ reason: LossReason) {
        guard isRegular, let last = ledger.last, time > last else { return }
        let rate = timeline.measuredRate ?? source.nominalRate
        let count = Int(((time - last).seconds * rate).rounded(.down))
        guard rate > 0, count > 0 else { return }
        ledger.last = last + .seconds(Double(count) / rate)
        missed += count
        ledger.due += count
        lose(count, reason)
        segment?.noteMissing(count, until: time, reason)
    }

    /// Blocks on the disk. Untrusted anchors are not looked at.
    package func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording] {
        take(at: now, anchors: anchors)
        if isSyncDue { for step in SyncStep.allCases { sync(step) } }
        return settle()
    }

    package func take(at now: MonotonicTime, anchors: [ClockAnchor]) {
        callInterval = self.now == .zero ? .zero : now - self.now
        (self.now, self.anchors) = (now, anchors.filter(\.isTrusted))
        segment?.follow(self.anchors)
        // What was dropped while the ring was full is missing right after what is in it now.
        let overruns = ring.overruns
        for _ in 0..<ring.count {
            guard let frame = ring.pop() else { break }
            for mirror in mirrors { mirror.push(frame) }
            process(timeline.add(frame))
        }
        timeline.noteRingLoss(frames: overruns - seenOverruns)
        seenOverruns = overruns
    }

    package var isSyncDue: Bool {
        guard let segment else { return false }
        return segment.file.isSyncDue(at: now, comingAgainAfter: callInterval) || beginsToHold(segment)
    }

    /// Whether the file has its first samples, which are synced at once, so that a device that is switched on for
    /// a moment has stored something. Of an encrypted file nothing can be read before its first chunk is whole.
    private func beginsToHold(_ segment: OpenSegment) -> Bool {
        !segment.file.isEncrypted && segment.written.stored == 0 && encoder.stored > 0
    }

    package func sync(_ step: SyncStep) {
        guard let segment else { return }
        attempt { () throws(FileError) in
            switch step {
            case .begin:
                try segment.file.beginSync()
                noteHandedOver(segment)
            case .commit:
                try segment.file.sync(at: now)
                if segment.hasProgress { try folder.saveDraft(segment.describeProgress(source)) }
            }
        }
    }

    package var additions: [FileAddition]? {
        guard let segment else { return [] }
        // The first samples are synced into the file itself, not into the journal.
        guard !beginsToHold(segment) else { return nil }
        return segment.file.addition.map {
            [FileAddition(number: segment.draft.number, offset: $0.offset, bytes: $0.bytes)]
        }
    }

    package func noteJournal(at now: MonotonicTime) {
        guard let segment else { return }
        segment.file.noteJournal(at: now)
        if !segment.file.isEncrypted { segment.written = .init(encoder, lost: segment.draft.totalLost) }
        fault = nil
    }

    package var needsJournal: Bool { segment?.file.needsJournal ?? false || finished.needsJournal }

    /// Ends the open file where it is due, and seals what has ended.
    package func settle() -> [SealedRecording] {
        if let segment, segment.file.isWritten { noteHandedOver(segment) }
        if let segment, segment.shouldEnd(now: now, self.anchors.last) || changesOffset(segment), encoder.mayEndHere {
            close()
        }
        return sealFinished()
    }

    /// Samples from before now may still come, features hours later: what is regular ends where its next sample is due
    /// (rounded), the rest with the first one after the change (`append`).
    private func changesOffset(_ segment: OpenSegment) -> Bool {
        guard isRegular else { return false }
        let period = Duration.nanoseconds(Int64(1e9 / max(source.nominalRate, 1e-3)))
        return segment.changesOffset(at: min(now, segment.end + period + .milliseconds(1)), in: origin.zone)
    }

    /// Blocks on the disk. What was dropped while the ring was full at the very end is
    /// counted as lost.
    package func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording] {
        let done = drain(at: now, anchors: anchors)
        process(timeline.flush())
        let dropped = timeline.drainRingLoss()
        ledger.due += dropped
        lose(dropped, .ringFull)
        if segment != nil { close() }
        return done + sealFinished(isLast: true)
    }

    package func sealWithoutWaiting(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording] {
        (self.now, self.anchors) = (now, anchors.filter(\.isTrusted))
        return sealFinished(isLast: true, needsAnchor: false)
    }

    private func process(_ items: [SampleTimeline<Encoder.Frame>.Item]) {
        for item in items where !isEarly(item) && !isOver(at: item) {
            switch item {
            case .untimed(let count):
                ledger.due += count
                lose(count, .deviceError)
            case .gap(let time, let missing, let reason):
                let samples = due(missing, before: time)
                let uncounted = max(0, samples - missed)
                missed = 0
                ledger.due += uncounted
                if withholding.covers(time) {
                    lose(uncounted, reason)
                    withholding.add(uncounted)
                    continue
                }
                record(RecordingGap(time: time, samples: samples, reason: reason, position: 0), losing: uncounted)
            case .backwards: if segment != nil { close() }
            case .frame(let frame, let time):
                missed = 0
                ledger.due += frame.sampleCount
                if withholding.covers(time) {
                    countWithheld(frame.sampleCount, until: time + length(of: frame))
                    continue
                }
                endWithheld(at: time)
                if ledger.first == nil { ledger.first = time }
                ledger.last = time + length(of: frame)
                append(frame, time)
            }
        }
    }

    /// Whether the item is before the recorder's beginning; of a frame, its first sample counts.
    private func isEarly(_ item: SampleTimeline<Encoder.Frame>.Item) -> Bool {
        guard let beginTime else { return false }
        return switch item {
        case .frame(_, let time), .gap(let time, _, _): time < beginTime
        case .untimed: ledger.first == nil
        case .backwards: false
        }
    }

    /// Whether the recorder's end has come with this item; closes the file then.
    private func isOver(at item: SampleTimeline<Encoder.Frame>.Item) -> Bool {
        if hasEnded { return true }
        guard let endTime else { return false }
        switch item {
        case .frame(_, let time) where time >= endTime && (segment == nil || encoder.mayEndHere):
            if segment != nil { close() }
        // A gap with nothing due before the end. It need not wait for `mayEndHere`: the gap itself would
        // discard the unit that is begun.
        case .gap(let time, let samples, let reason) where time > endTime && due(samples, before: time) == 0:
            if segment != nil { close(reason) }
        default: return false
        }
        hasEnded = true
        return true
    }

    /// How many of the samples missing before `time` were due between the beginning and the end. What has no
    /// rate may be missing at any moment.
    private func due(_ samples: Int, before time: MonotonicTime) -> Int {
        guard isRegular else { return samples }
        func count(from start: MonotonicTime) -> Int {
            let due = (time - start).seconds * (timeline.measuredRate ?? source.nominalRate)
            return Int(min(max(0, due), 1e15))
        }
        let late = endTime.map(count) ?? 0
        return max(0, min(samples, beginTime.map(count) ?? samples) - late)
    }

    private func append(_ frame: Encoder.Frame, _ time: MonotonicTime) {
        if let segment, segment.shouldEnd(now: time, anchors.last) || segment.changesOffset(at: time, in: origin.zone),
            encoder.mayEndHere
        {
            close()
        }
        guard segment != nil || open(at: time) else { return lose(frame.sampleCount, .writeError) }
        segment?.taken += frame.sampleCount
        segment?.end = time + length(of: frame)
        segment?.ending = nil
        attempt { () throws(FileError) in
            var out: [UInt8] = []
            try encoder.append(frame, at: time, to: &out)
            if !out.isEmpty { try write(out) }
        }
    }

    /// The time from the first sample of a frame to its last; zero for bytes and events, which have no rate.
    private func length(of frame: Encoder.Frame) -> Duration {
        let length = isRegular ? Double(frame.sampleCount - 1) / max(source.nominalRate, 1e-3) : 0
        return .nanoseconds(Int64(length * 1e9))
    }

    /// Makes a gap in the open file; `count` of its samples have not been counted as lost yet.
    private func record(_ gap: RecordingGap, losing count: Int) {
        // Lost events are in the file of the one before which they came, also where
        // that is its first.
        if encoder.countedUnit == .events, segment == nil { _ = open(at: gap.time) }
        lose(count, gap.reason)
        guard segment != nil else { return }
        var gap = gap
        gap.start = segment?.end ?? gap.time
        segment?.ending = gap
        if encoder.gapEndsFile, let start = segment?.start, gap.time - start > .seconds(60) { return close(gap.reason) }
        // Between two events any time may pass.
        if encoder.countedUnit != .events, gap.time - gap.start >= measure.longestGap { return close(gap.reason) }
        attempt { () throws(FileError) in
            var out: [UInt8] = []
            let discarded = try encoder.appendGap(gap, to: &out)
            giveUp(discarded, gap.reason)
            gap.samples += discarded
            segment?.record(
                gap, .init(encoder, lost: 0), startDelay: encoder.startDelay,
                ratio: (timeline.measuredRate ?? source.nominalRate) / source.nominalRate)
            if encoder.gapEndsFile, let segment, !segment.file.isEncrypted {
                try folder.saveDraft(segment.describeProgress(source))
            }
            if !out.isEmpty { try write(out) }
        }
    }

    /// Counts samples of an unfinished unit that no file will hold.
    private func giveUp(_ count: Int, _ reason: LossReason) {
        segment?.taken -= count
        segment?.ending?.samples += count
        lose(count, reason)
    }

    /// Counts samples as lost, in the ledger and in the file that is open.
    private func lose(_ count: Int, _ reason: LossReason) {
        ledger.lose(count, reason)
        segment?.draft.lose(count, reason)
        if segment == nil { ledger.addUnfiled(count, reason) }
    }

    private func open(at time: MonotonicTime) -> Bool {
        if let retryAt, now < retryAt { return false }
        do throws(FileError) {
            let context = SegmentContext(
                number: try folder.numbers.handOut(), source: source, measure: measure, origin: origin, start: time,
                anchor: anchors.last)
            var out: [UInt8] = []
            try encoder.begin(context, to: &out)
            segment = try OpenSegment(context, encoder, folder, at: now)
            try write(out)
            // The fault is over once something is written.
            retryAt = nil
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func write(_ bytes: [UInt8]) throws(FileError) {
        guard let segment else { return }
        let isInFile = try segment.file.append(bytes)
        segment.noteWritten(.init(encoder, lost: segment.draft.totalLost), at: now)
        if isInFile { noteHandedOver(segment) }
    }

    /// Everything so far is in the kernel's hands.
    private func noteHandedOver(_ segment: OpenSegment) {
        segment.noteHandedOver(.init(encoder, lost: segment.draft.totalLost))
        if !segment.file.isEmpty { fault = nil }
    }

    /// Runs `body`, whose error ends the open file (`fail`) but not the recorder.
    private func attempt(_ body: () throws(FileError) -> Void) {
        do throws(FileError) { try body() } catch { fail(error) }
    }

    /// Ends the open file in good order; a unit that is not whole is given up for that reason.
    private func close(_ reason: LossReason = .notRunning) {
        attempt { () throws(FileError) in
            guard let segment else { return }
            var out: [UInt8] = []
            let (discarded, patches) = try encoder.finish(to: &out)
            giveUp(discarded, reason)
            try write(out)
            try segment.file.end()
            noteHandedOver(segment)
            try segment.file.close(patches)
            finish(segment)
        }
    }

    /// After a fault of the disk: keeps what was written, counts the rest as lost, and tries
    /// a new file later.
    private func fail(_ error: FileError) {
        fault = error
        retryAt = now + .seconds(10)
        guard let segment else { return }
        segment.file.abandon()
        segment.draft.age?.isCut = true
        guard !segment.file.isEmpty else { return drop(segment) }
        lose(segment.taken - segment.written.stored, .writeError)
        finish(segment)
    }

    /// Not even its beginning reached the disk: the file is removed, and its losses become `unfiled`.
    private func drop(_ segment: OpenSegment) {
        self.segment = nil
        // Thrown away, so that they do not count for the next file.
        _ = (timeline.drainTimeErrors(), timeline.drainRate())
        ledger.addUnfiled(from: segment.draft)
        lose(segment.taken, .writeError)
        folder.removeDraft(segment.draft)
    }

    /// Counts a file that has ended, and queues it for `sealFinished`.
    private func finish(_ segment: OpenSegment) {
        let draft = segment.finished(
            source, fields: encoder.layout?.fields, errors: timeline.drainTimeErrors(), rate: timeline.drainRate(),
            anchors)
        ledger.stored += segment.written.stored
        self.segment = nil
        attempt { () throws(FileError) in try finished.add(draft, segment.file) }
    }

    private func sealFinished(isLast: Bool = false, needsAnchor: Bool = true) -> [SealedRecording] {
        let wasRefused = finished.isRefused
        let (sealed, fault) = finished.seal(anchors, at: now, isLast: isLast, needsAnchor: needsAnchor)
        // While no new file can be begun its fault remains.
        if fault != nil || wasRefused && retryAt == nil { self.fault = fault }
        return sealed
    }
}
