// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Logging
import Study
import SystemKit

/// Puts in order what an earlier start left on the disk: cuts open recordings to what is whole, seals (finishes)
/// them, and finds what the log does not know yet. `StartSequence` runs it once.
struct Recovery: Sendable {
    /// What was found; nothing of it is in the log yet.
    struct Found: Sendable {
        /// For the core, in this order.
        var events: [CoreEvent] = []
        /// Recorded for runs of an earlier start.
        var filesOfRuns: [SealedRecording] = []
        var past: Ledger.SampleCounts
        /// The last span of measuring, where it ended without `samplesCounted` rows.
        var span: EarlierSpan?
    }

    private let database: StudyDatabase
    private let folder: RecordingFolder
    private let stamps: EventClock
    private let backup: EnrolmentBackup
    private let progress: StartProgress
    private let log: Logger
    private let settleWithdrawal: @Sendable () async throws -> String?

    init(_ parts: AgentDependencies, _ progress: StartProgress) {
        self.init(
            parts.database, parts.folder, parts.stamps, parts.backup, progress, parts.log,
            settleWithdrawal: parts.settleWithdrawal)
    }

    /// `settleWithdrawal` gives the enrolment of which nothing more is to be sent; nil = none.
    init(
        _ database: StudyDatabase, _ folder: RecordingFolder, _ stamps: EventClock, _ backup: EnrolmentBackup,
        _ progress: StartProgress, _ log: Logger, settleWithdrawal: @escaping @Sendable () async throws -> String?
    ) {
        (self.database, self.folder, self.stamps, self.backup) = (database, folder, stamps, backup)
        (self.progress, self.log, self.settleWithdrawal) = (progress, log, settleWithdrawal)
    }

    /// `anchors` are those of this boot.
    func run(_ anchors: [ClockAnchor]) async throws -> Found {
        // Files that were left open are cut to what is whole, and sealed where their boot's time is known.
        let (stamps, folder, first) = (stamps, folder, progress.firstNumber)
        var known: [String: [ClockAnchor]] = [stamps.bootID: anchors]
        let drafts = try await onThread("studyd-recover") { try folder.openBoots() }
        for boot in drafts where known[boot] == nil { known[boot] = try await database.anchors(ofBoot: boot) }
        let recovery = try await onThread("studyd-recover") { [known] in
            try folder.recover(bootID: stamps.bootID, zone: stamps.zone, before: first) { known[$0] ?? [] }
        }
        // Sealed files that the log does not know yet.
        let leftForGood = try await settleWithdrawal()
        let registered = try await database.recordingNumbers()
        let sealed = try await onThread("studyd-recover") { try folder.sealed(besides: registered, before: first) }
        // While the log that lists them cannot be read, they wait for it.
        let unregistered = await database.leavesFile ? [] : sealed.recordings
        let ofNoRun = unregistered.filter { !$0.isOfRun }
        let waiting = ofNoRun.map(\.description) + recovery.waiting
        // They are of the latest enrolment: a change of enrolment seals all that is open.
        let owner = try await database.latestEnrolment()?.record ?? backup.read()
        // Before they are registered: the row may be written at any moment, and would
        // count them twice.
        var found = Found(past: Ledger.SampleCounts(try await database.counts()))
        for description in waiting { found.past.add(description) }
        found.filesOfRuns = unregistered.filter(\.isOfRun)
        found.span = try await span(waiting, removed: recovery.removedDrafts)
        found.events = [
            .noted(rows(of: recovery.faults + sealed.faults) + rows(of: recovery.removedDrafts)),
            .left(forGood: leftForGood), .recorder(.sealed(ofNoRun), of: owner), .waiting(recovery.waiting),
        ]
        return found
    }

    /// Files that stay undelivered, because they cannot be read: in the log, where a researcher
    /// looks, at every start.
    private func rows(of faults: [FileError]) -> [StudyEvent] {
        faults.map { fault in
            log.error("recording", metadata: ["fault": "\(fault)"])
            return .fault(
                place: "recording", message: "\(fault); this recording is not delivered until it can be read")
        }
    }

    /// Files that were begun but had nothing whole on the disk, and the most that each can have
    /// lost: a sync interval.
    private func rows(of removed: [RecordingDescription]) -> [StudyEvent] {
        removed.sorted { $0.number < $1.number }.map { draft in
            let lost =
                draft.isLossUnknown == true
                ? "how many \(draft.countedUnit) were lost is unknown" : "at most \(draft.totalLost) samples were lost"
            let message =
                "\(draft.relativePath) had no complete data on disk when the power failed; it was removed, and \(lost)"
            log.notice("recording", metadata: ["loss": "\(message)"])
            return .fault(place: "recording", message: message)
        }
    }

    /// When an earlier start measured, and what of it lies on the disk; nil where no span is left to account for, or
    /// its end was noted in another boot.
    private func span(
        _ found: [RecordingDescription], removed: [RecordingDescription]
    ) async throws -> EarlierSpan? {
        guard let last = progress.span else { return nil }
        var span = EarlierSpan(
            boot: last.stamp.bootID, start: last.stamp.monotonic, stop: last.stop?.monotonic, rates: last.rates)
        if let enrolment = try await database.latestEnrolment()?.record.id,
            let pause = try await database.sensorPause(of: enrolment), pause.bootID == span.boot
        {
            span.withheld = pause.span
        }
        span.known = try await database.countedRates()
        if let stop = last.stop, stop.bootID != span.boot { return nil }
        let registered = try await database.recordings(after: last.sequence).compactMap { EarlierSpan.File.of($0) }
        let files = (registered + found.compactMap { EarlierSpan.File.of($0) }).filter { $0.boot == span.boot }
        let empty = removed.filter { $0.countedUnit == .samples && !$0.isExtra }.map {
            EarlierSpan.File(measure: $0.kind, start: $0.start, end: $0.start, stored: 0)
        }
        span.files = (files.map(\.file) + empty).filter { $0.start >= span.start }
        if let row = progress.lastRow, row.bootID == span.boot { span.signs.append(row.monotonic) }
        if let beat = progress.beat { span.signs.append(beat) }
        if span.boot != stamps.bootID {
            span.endInstant = try await database.anchors(ofBoot: span.boot).best?.instant(at: span.end)
        }
        return span
    }
}

extension AgentDependencies {
    /// What is sealed from now on of an enrolment that ended with its unsent data deleted is
    /// deleted too. Returns that enrolment.
    func settleWithdrawal() async throws -> String? {
        guard let state = try await database.latestEnrolment(), state.withdrawn != nil else { return nil }
        let id = state.record.id
        let isErased = try await database.hasErasedAnswers(of: id)
        let isLeft = try await database.hasDeletedUnsent(of: id)
        guard isErased || isLeft else { return nil }
        // This waits until what is still queued has reached the log and the results.
        await commits.removeResults(of: id)
        if isErased { try await database.eraseAnswers(of: id, at: stamps.stamp(id)) }
        return id
    }
}

extension EarlierSpan.File {
    /// One that the log knows, and its boot; nil for what is recorded beside a measure, or was
    /// before its times were in the log.
    fileprivate static func of(_ record: RecordingRecord) -> (boot: String, file: Self)? {
        guard let boot = record.boot, let from = record.from, let to = record.to, record.isExtra != true,
            record.rate != nil
        else { return nil }
        let file = Self(
            measure: record.measure, start: from, end: to, stored: Int(record.stored),
            lost: lost(record.lost.mapValues { Int(clamping: $0) }), rate: record.rate)
        return (boot, file)
    }

    /// One that was found on the disk.
    fileprivate static func of(_ description: RecordingDescription) -> (boot: String, file: Self)? {
        guard description.countedUnit == .samples, !description.isExtra else { return nil }
        let file = Self(
            measure: description.kind, start: description.begun, end: description.end,
            stored: description.sourceStored, lost: lost(description.samplesLost), rate: description.sourceRate)
        return (description.bootID, file)
    }

    private static func lost(_ reasons: [String: Int]) -> Int {
        reasons.reduce(0) { $1.key == SampleAccount.powerCut ? $0 : $0 + $1.value }
    }
}
