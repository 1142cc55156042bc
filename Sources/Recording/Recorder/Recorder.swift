// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// What is in a file that is being written, for everybody who reads it: `status`, `recordings list` and `show`, and who copies it.
package struct OpenFileStatus: Sendable, Hashable {
    /// Within the recordings folder.
    package let name: String
    /// Samples (bytes, events) of the file in whole units of it.
    package let stored: Int
    /// Those that the source lost meanwhile. Readers find those of them that lie between two units of the file.
    package let lost: Int
}

/// Takes samples from a ring to sealed files. Not `Sendable`: one thread owns it, and it blocks on the disk.
package protocol SampleRecorder: AnyObject {
    /// Who measures.
    var source: SourceDescription { get }
    /// The ledger since the recorder was made.
    var counts: SampleCounts { get }
    /// What is counted: `samples`, `bytes`, `events`.
    var countedUnit: String { get }
    /// Samples per second as measured; nil before the first stamp and for what has no rate.
    var measuredRate: Double? { get }
    /// The last thing that went wrong with a file, for `status`; nil since the last success.
    var fault: RecordingError? { get }
    /// The file being written.
    var openFile: String? { get }
    /// What of it whoever reads it finds now; nil where none is open.
    var openFileStock: OpenFileStatus? { get }
    /// Files that wait for the first anchor of this boot.
    var waitingFiles: Int { get }
    /// True once the end that was given with `end(after:)` has come.
    var hasEnded: Bool { get }
    /// Records samples up to that time, and on to where a whole unit of the file ends; what comes later is not looked at.
    func end(after time: MonotonicTime)
    /// From now on every frame taken from the ring is pushed into this one, too: for another recorder on the same thread, which
    /// must drain it before `drain` is called again. False where the ring is for frames of another kind.
    func mirror(into ring: RecorderInput) -> Bool
    /// Takes what is measured about the device itself, for the files that have a place for it.
    func record(_ surroundings: Surroundings)
    /// No more.
    func endMirror(into ring: RecorderInput)
    /// Takes what waits in the ring and writes what is due. Called about every second. `anchors` are those of this boot, in
    /// the order of taking. Returns the files that were sealed, to be put into the outbox. Faults of the disk do not end
    /// it: samples are counted as lost and a new file is tried after 10 s.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording]
    /// As `drain`, and seals everything. Files without an anchor stay for the recovery at the next start.
    func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording]
}

/// The recorder of one source into files of one format.
package final class Recorder<Encoder: SegmentEncoder>: SampleRecorder {
    /// Written beside every file.
    package let source: SourceDescription
    /// The latest; nil again once a new file was begun.
    package private(set) var fault: RecordingError?
    private let ring: FrameRing<Encoder.Frame>
    private let folder: RecordingFolder
    private let measure: MeasureConfiguration
    private let origin: RecordingOrigin
    private var encoder: Encoder
    /// Asked once: to ask an encoder of any kind copies the whole of it, for each frame.
    private let (isRegular, carriesLocalTime): (Bool, Bool)
    private var timeline: SampleTimeline<Encoder.Frame>
    private var ledger = SampleCounts()
    private var segment: OpenSegment?
    private var waiting: [RecordingDescription] = []
    private var sealed: [SealedRecording] = []
    private var seenOverruns = 0
    private var anchors: [ClockAnchor] = []
    private var now = MonotonicTime.zero
    private var retryAt: MonotonicTime?
    private var mirrors: [FrameRing<Encoder.Frame>] = []
    private var endTime: MonotonicTime?
    /// False while no end was given.
    package private(set) var hasEnded = false

    /// A recorder that begins its first file with the first sample.
    package init(
        ring: FrameRing<Encoder.Frame>, encoder: Encoder, source: SourceDescription, measure: MeasureConfiguration,
        origin: RecordingOrigin, folder: RecordingFolder
    ) {
        self.ring = ring
        self.encoder = encoder
        (isRegular, carriesLocalTime) = (encoder.isRegular, encoder.carriesLocalTime)
        self.source = source
        self.measure = measure
        self.origin = origin
        self.folder = folder
        timeline = SampleTimeline(nominalRate: source.nominalRate, isRegular: isRegular)
        seenOverruns = ring.overruns
    }

    /// Samples of the open file are stored as far as they are in whole units of it, the last seconds of which wait for the next sync; what the
    /// file has by now is `openFileStock`.
    package var counts: SampleCounts {
        var counts = ledger
        if segment != nil { counts.stored += encoder.stored }
        return counts
    }
    /// As the encoder counts.
    package var countedUnit: String { encoder.countedUnit }
    /// By regression of the stamps over monotonic time.
    package var measuredRate: Double? { timeline.measuredRate }
    /// Its path within the folder, with `.partial`; nil before the first sample and between files.
    package var openFile: String? { segment?.draft.partialName }
    /// As far as the kernel has it; up to a sync interval of what was taken is still in memory.
    package var openFileStock: OpenFileStatus? {
        segment.map {
            OpenFileStatus(name: $0.draft.partialName, stored: $0.written.inFile, lost: $0.written.lost)
        }
    }
    /// Those of this run; drafts of earlier boots are the recovery's.
    package var waitingFiles: Int { waiting.count }

    /// CLOCK_MONOTONIC, by the stamps of the source.
    package func end(after time: MonotonicTime) { endTime = time }

    /// The frames of what is in the ring now are its first.
    package func mirror(into ring: RecorderInput) -> Bool {
        guard let ring = ring.ring(of: Encoder.Frame.self) else { return false }
        mirrors.append(ring)
        return true
    }

    /// A ring that is none of the mirrors is not looked for.
    package func endMirror(into ring: RecorderInput) {
        guard let ring = ring.ring(of: Encoder.Frame.self) else { return }
        mirrors.removeAll { $0 === ring }
    }

    /// From the next unit of the file on.
    package func record(_ surroundings: Surroundings) { encoder.record(surroundings) }

    /// Blocks on the disk. Anchors nobody vouches for are not looked at.
    package func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording] {
        (self.now, self.anchors) = (now, anchors.filter(\.isTrusted))
        // What was dropped while the ring was full is missing right after what is in it now.
        segment?.follow(self.anchors)
        let overruns = ring.overruns
        for _ in 0..<ring.count {
            guard let frame = ring.pop() else { break }
            for mirror in mirrors { mirror.push(frame) }
            record(timeline.add(frame))
        }
        timeline.ringLost(frames: overruns - seenOverruns)
        seenOverruns = overruns
        if segment != nil { attempt { () throws(RecordingError) in try syncIfDue() } }
        if let segment, segment.ends(now: now, self.anchors.last, origin.zone, following: carriesLocalTime),
            encoder.mayEndHere
        {
            close()
        }
        sealWaiting()
        defer { sealed.removeAll() }
        return sealed
    }

    /// Blocks on the disk. What was dropped while the ring was full at the very end is counted as lost.
    package func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [SealedRecording] {
        var done = drain(at: now, anchors: anchors)
        record(timeline.flush())
        let dropped = timeline.drainRingLoss()
        ledger.due += dropped
        lose(dropped, .ringFull)
        if segment != nil { close() }
        sealWaiting()
        done += sealed
        sealed.removeAll()
        return done
    }

    private func record(_ items: [SampleTimeline<Encoder.Frame>.Item]) {
        for item in items where !isOver(at: item) {
            switch item {
            case .untimed(let count):
                ledger.due += count
                lose(count, .deviceError)
            case .gap(let time, let samples, let reason):
                ledger.due += samples
                record(RecordingGap(time: time, samples: samples, reason: reason, position: 0))
            case .backwards: if segment != nil { close() }
            case .frame(let frame, let time):
                ledger.due += frame.sampleCount
                if ledger.first == nil { ledger.first = time }
                ledger.last = time + length(of: frame)
                append(frame, time)
            }
        }
    }

    private func isOver(at item: SampleTimeline<Encoder.Frame>.Item) -> Bool {
        if hasEnded { return true }
        guard let endTime, case .frame(_, let time) = item, time >= endTime else { return false }
        guard segment == nil || encoder.mayEndHere else { return false }
        if segment != nil { close() }
        hasEnded = true
        return true
    }

    private func append(_ frame: Encoder.Frame, _ time: MonotonicTime) {
        if let segment, segment.ends(now: time, anchors.last, origin.zone, following: carriesLocalTime),
            encoder.mayEndHere
        {
            close()
        }
        guard segment != nil || open(at: time) else { return lose(frame.sampleCount, .writeError) }
        segment?.taken += frame.sampleCount
        segment?.end = time + length(of: frame)
        attempt { () throws(RecordingError) in
            var out: [UInt8] = []
            try encoder.append(frame, at: time, to: &out)
            if !out.isEmpty { try write(out) }
        }
    }

    /// From its first sample to its last. Bytes and events have no rate: a frame of them ends when it came.
    private func length(of frame: Encoder.Frame) -> Duration {
        let length = isRegular ? Double(frame.sampleCount - 1) / max(source.nominalRate, 1e-3) : 0
        return .nanoseconds(Int64(length * 1e9))
    }

    private func record(_ gap: RecordingGap) {
        // Lost events are in the file of the one before which they came, also where that is its first.
        if encoder.countedUnit == "events", segment == nil { _ = open(at: gap.time) }
        lose(gap.samples, gap.reason)
        guard segment != nil else { return }
        if encoder.gapEndsFile, let start = segment?.start, gap.time - start > .seconds(60) { return close(gap.reason) }
        var gap = gap
        gap.start = segment?.end ?? gap.time
        // Between two events any time may pass.
        if encoder.countedUnit != "events", gap.time - gap.start >= measure.longestGap { return close(gap.reason) }
        attempt { () throws(RecordingError) in
            var out: [UInt8] = []
            let discarded = try encoder.gap(gap, to: &out)
            giveUp(discarded, gap.reason)
            let layout = segment?.layout
            gap.position = layout?.resampledRate == nil ? segment?.taken ?? 0 : encoder.storedInFile
            gap.samples += discarded
            if let last = encoder.span?.last { gap.start = last }
            if let rate = layout?.resampledRate {
                gap.time = gap.time + encoder.lead
                let ratio = (timeline.measuredRate ?? source.nominalRate) / source.nominalRate
                gap.samples = max(0, Int(((gap.time - gap.start).seconds * rate * ratio).rounded()) - 1)
            }
            // Before the first whole unit there is nothing of which it could be a gap.
            if gap.position > 0 || encoder.span != nil { segment?.draft.record(gap) }
            if !out.isEmpty { try write(out) }
        }
    }

    /// Counts samples of an unfinished unit that no file will hold.
    private func giveUp(_ count: Int, _ reason: LossReason) {
        segment?.taken -= count
        lose(count, reason)
    }

    private func lose(_ count: Int, _ reason: LossReason) {
        ledger.lose(count, reason)
        segment?.draft.lose(count, reason)
        if segment == nil, count > 0 {
            ledger.unfiled[reason, default: 0] += count
            if ledger.first == nil { ledger.lostBeforeFirst += count }
        }
    }

    private func open(at time: MonotonicTime) -> Bool {
        if let retryAt, now < retryAt { return false }
        do throws(RecordingError) {
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

    private func write(_ bytes: [UInt8]) throws(RecordingError) {
        guard let segment else { return }
        if try segment.file.append(bytes) { reached(segment) }
    }

    private func syncIfDue() throws(RecordingError) {
        guard let segment else { return }
        if try segment.file.syncIfDue(at: now) { reached(segment) }
    }

    /// Everything so far is in the kernel's hands.
    private func reached(_ segment: OpenSegment) {
        segment.written = .init(encoder, lost: segment.draft.totalLost)
        if !segment.file.isEmpty { fault = nil }
    }

    private func attempt(_ body: () throws(RecordingError) -> Void) {
        do throws(RecordingError) { try body() } catch { fail(error) }
    }

    /// Ends the open file in good order; a unit that is not whole is given up for that reason.
    private func close(_ reason: LossReason = .notRunning) {
        attempt { () throws(RecordingError) in
            guard let segment else { return }
            var out: [UInt8] = []
            let (discarded, patches) = try encoder.finish(to: &out)
            giveUp(discarded, reason)
            _ = try segment.file.append(out)
            try segment.file.close(patches)
            reached(segment)
            finish(segment)
        }
    }

    /// After a fault of the disk: keeps what was written, counts the rest as lost, and tries a new file later.
    private func fail(_ error: RecordingError) {
        fault = error
        retryAt = now + .seconds(10)
        guard let segment else { return }
        segment.file.abandon()
        guard !segment.file.isEmpty else { return drop(segment) }
        lose(segment.taken - segment.written.stored, .writeError)
        finish(segment)
    }

    /// Not even its beginning reached the disk: there is no file, and what is missing is of none.
    private func drop(_ segment: OpenSegment) {
        self.segment = nil
        _ = (timeline.drainTimeErrors(), timeline.drainRate())
        for reason in LossReason.allCases {
            if let count = segment.draft.samplesLost["\(reason)"] { ledger.unfiled[reason, default: 0] += count }
        }
        lose(segment.taken, .writeError)
        folder.forget(segment.draft)
    }

    private func finish(_ segment: OpenSegment) {
        let stored = segment.written.stored
        var draft = segment.draft
        draft.state = .finished
        if let fields = encoder.layout?.fields { draft.fields = fields }
        draft.endUptime = Double((segment.written.span?.last ?? segment.end).nanoseconds) / 1e9
        if let first = segment.written.span?.first { draft.begin(at: Double(first.nanoseconds) / 1e9) }
        // What is missing behind the last sample is lost, but no gap in the file.
        draft.gaps.removeAll { $0.position >= segment.written.inFile }
        if let errors = timeline.drainTimeErrors() {
            draft.timeError = errors.largest.seconds
            draft.steadyTimeError = errors.steady?.seconds
        } else if source.stampError > 0 {
            draft.timeError = source.stampError
        }
        if let anchor = segment.anchor { draft.setClock(anchor, offset: segment.offset) }
        segment.follow(anchors)
        draft.clockError = segment.wall?.bound(from: segment.start, to: segment.end)
        if let (rate, error) = timeline.drainRate() { draft.setRate(rate, error: error) }
        draft.count(stored: stored, inFile: segment.written.inFile, layout: segment.layout, source: source)
        for anchor in anchors where anchor.monotonic >= segment.start { draft.record(anchor) }
        ledger.stored += stored
        self.segment = nil
        waiting.append(draft)
        attempt { () throws(RecordingError) in try folder.keep(draft) }
    }

    /// Seals what has an anchor, and what waited for one as soon as it is there. What the disk refuses is tried again.
    private func sealWaiting() {
        var left: [RecordingDescription] = []
        for draft in waiting {
            guard draft.clock == .anchored || !anchors.isEmpty else {
                left.append(draft)
                continue
            }
            do throws(RecordingError) {
                sealed.append(try folder.seal(draft, anchors: anchors, zone: origin.zone))
            } catch {
                fault = error
                left.append(draft)
            }
        }
        waiting = left
    }
}
