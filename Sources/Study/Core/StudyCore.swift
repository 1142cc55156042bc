// SPDX-License-Identifier: Apache-2.0
import Base

/// What the agent decides about the study that runs: what is committed and when, which files belong
/// to an answer, what a step of the clock means, when another version of the study is followed,
/// what becomes of what a power cut left open. Pure: an event and a reading of the clocks go in,
/// effects come out.
///
/// ```
///  presses, recorders, servers, clock ──▶ StudyCore ──▶ commits, files, panel      `StudyLoop`: threads, devices, the disk
///                                            │  ▲                                  `StudySimulation`: half a year in a moment
///                                     StudyConductor                               `CoreTrial`: crashes at every moment
/// ```
/// Rows of one enrolment are committed in the order in which they were decided. A submission waits
/// for the last files recorded for its run, and what is decided after it waits behind it.
package struct StudyCore: Sendable {
    package struct Setting: Sendable {
        /// The kernel's id of this boot.
        let bootID: String
        let zone: Zone
        /// SHA-256.
        let digest: @Sendable ([UInt8]) -> [UInt8]

        package init(bootID: String, zone: Zone, digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            self.bootID = bootID
            self.zone = zone
            self.digest = digest
        }

        /// For a row of that enrolment, written now.
        package func stamp(_ enrolment: String, at now: Moment) -> EventStamp {
            EventStamp(
                wall: now.instant, monotonic: now.monotonic, bootID: bootID,
                zoneOffset: zone.period(at: now.instant).offset, enrolment: enrolment)
        }
    }

    private let setting: Setting
    /// nil without an enrolment.
    package private(set) var study: ActiveStudy?
    private var clock = WallClock()
    /// The enrolment of which nothing more is to be sent.
    package private(set) var leftForGood: String?
    /// Who takes part where the store has lost the enrolment, or its study; nil elsewhere.
    package private(set) var lostEnrolment: EnrolmentRecord?
    /// Since when an enrolment has been without its study, until that is back and the clock is trusted;
    /// nil where none is.
    private var loss: (enrolment: String, since: Instant)?
    private var files = RunFiles()
    /// Another version of the study, which is followed once nothing is open.
    private var update: PendingUpdate?
    /// The version that is being followed: its bytes are on their way to the disk (`keepUpdate`).
    private var updateBeingKept: PendingUpdate?
    /// The enrolment's date became known, and the study is being read again with it.
    private var isDating = false
    private var fault: String?
    /// The agent itself fails, such as at storing: no update and no date is taken up meanwhile.
    private var agentFails = false
    /// The log has been read, so it is known whether there is an enrolment.
    private var hasEntered = false
    private var light = FaultLight()
    private var effects: [CoreEffect] = []

    package init(_ setting: Setting) { self.setting = setting }

    /// Readings of the clocks since the start; of many, the first and the latest ones.
    package var anchors: [ClockAnchor] { clock.anchors }
    package var isTrusted: Bool { clock.isTrusted }
    /// What is odd about the clock, as it was reported last.
    package var clockNote: String? { clock.note }

    /// The enrolment that recordings belong to, also where its study was lost with the store.
    package var owner: EnrolmentRecord? { study?.record ?? lostEnrolment }

    /// A submission waits for its last files, and rows wait behind it.
    var isHolding: Bool { files.isHolding }

    /// Nothing is open, nothing held back, the disk stores, and the study is not being read again
    /// with its date.
    private var isAtRest: Bool {
        study?.conductor.session.isIdle == true && !isHolding && !agentFails && !isDating
    }

    package func wake(at now: Moment) -> MonotonicTime? {
        earliest(study?.conductor.wake(at: now), files.deadline)
    }

    /// The clock is looked at before the event, so that rows get the right anchor; an update is followed
    /// after it, when nothing is open any more.
    package mutating func handle(_ event: CoreEvent, at reading: ClockReading) -> [CoreEffect] {
        let now = reading.moment
        if case .began(let version) = event { append([.agentStarted(version: version)], at: now) }
        followClock(reading)
        if let deadline = files.deadline, deadline <= now.monotonic { release(at: now) }
        switch event {
        case .began: break
        case .conductor(let event): runConductor(event, at: now)
        case .tick: runConductor(.tick, at: now)
        case .remark(let place, let words): logRemark(place, words, at: now)
        case .committed(let runs): for run in runs { runConductor(.stored(run), at: now) }
        case .noted(let events): append(events, at: now)
        case .fault(let fault, let ofAgent): show(fault, ofAgent: ofAgent, at: now)
        case .recorder(let news, let owner): handle(news, of: owner, at: now)
        case .left(let enrolment): leftForGood = enrolment
        case .found(let files, let knowledge): settle(files, knowledge, at: now)
        case .waiting(let files):
            clock.wait(for: files)
            if reading.anchor.isTrusted { sealWaiting() }
        case .entered(let entry): enter(entry, at: now)
        case .reloaded(let renewed): reload(renewed, at: now)
        case .followed(let news, let enrolment): if study?.record.id == enrolment { runConductor(news, at: now) }
        case .update(let update, let enrolment): if study?.record.id == enrolment { self.update = update }
        case .updateKept(let version, let digest): updateKept(version, digest, at: now)
        case .enrolmentChanged:
            update = nil
            leaveEnrolment(at: now)
        case .stopped: stop(at: now)
        }
        dateEnrolment(at: now)
        followUpdate()
        defer { effects = [] }
        return effects
    }

    private mutating func emit(_ effect: CoreEffect) { effects.append(effect) }

    private mutating func append(_ events: [StudyEvent], at now: Moment) {
        var row = StudyCommit()
        row.events = events
        commit(row, at: now)
    }

    /// Commits the row now, or after a submission that waits for its files, if there is one.
    private mutating func commit(_ row: StudyCommit, at now: Moment) {
        guard !row.isEmpty else { return }
        commit(row, at: stamp(now))
    }

    private mutating func commit(_ row: StudyCommit, at stamp: EventStamp) {
        if files.queue(row, at: stamp) { return }
        emit(.commit(row, stamp))
    }

    /// For a row of the present enrolment.
    private func stamp(_ now: Moment) -> EventStamp { setting.stamp(study?.record.id ?? "", at: now) }

    /// Hands an event to the conductor, where there is one.
    private mutating func runConductor(_ event: StudyConductor.Event, at now: Moment) {
        // `conducted` answers every event for the conductor, also where there is none.
        guard let effects = study?.conductor.handle(event, at: now) else { return emit(.conducted([])) }
        apply(effects, at: now)
    }

    /// Commits what the conductor wants committed, and passes on the rest.
    private mutating func apply(_ wanted: [StudyConductor.Effect], at now: Moment) {
        // Not by `self` in the closure, which would copy the whole core for each effect.
        let clock = clock
        let wanted = wanted.map { Self.dated($0, by: clock, at: now) }
        // The server does not know of an enrolment without a date, and what was opened had no certain time.
        let isUndated = study?.record.undated != nil
        var row = study?.encoder.commit(wanted.filter { !isUndated || !$0.isView }, at: now) ?? StudyCommit()
        for effect in wanted where !effect.isSound { perform(effect, adding: &row) }
        for effect in wanted where effect.isSound { perform(effect, adding: &row) }
        if let submission = wanted.lazy.compactMap(\.submission).first {
            hold(row, of: submission, at: now)
        } else {
            commit(row, at: now)
        }
        emit(.conducted(wanted))
    }

    /// The effect with the clock error in its submission, if it has one.
    private static func dated(
        _ effect: StudyConductor.Effect, by clock: WallClock, at now: Moment
    ) -> StudyConductor.Effect {
        func dated(_ submission: Submission) -> Submission {
            var submission = submission
            let began = submission.course?.began ?? submission.submitted
            submission.clockError = clock.error(since: began, until: now)
            return submission
        }
        return switch effect {
        case .note(.submitted(let task, let opening, let submission)):
            .note(.submitted(task: task, opening: opening, dated(submission)))
        case .report(.submitted(let submission)): .report(.submitted(dated(submission)))
        default: effect
        }
    }

    /// Writes to the journal and to the event log what an operator should know, though it is no fault of the
    /// device.
    private mutating func logRemark(_ place: String, _ words: String, at now: Moment) {
        emit(.remark(place, words))
        append([.fault(place: place, message: words)], at: now)
    }

    /// Reports what is wrong. Without an enrolment there is no panel, and the light alone shows it.
    private mutating func show(_ fault: String?, ofAgent: Bool, at now: Moment) {
        (self.fault, agentFails) = (fault, ofAgent)
        showFault(at: now)
    }

    private mutating func showFault(at now: Moment) {
        guard study == nil else { return runConductor(.fault(fault), at: now) }
        if let effect = light.show(fault, isKnown: hasEntered, at: now.monotonic) { emit(effect) }
    }

    // MARK: The enrolment

    /// Begins with what was read from the log: ends occurrences without a task, measures, closes or goes on
    /// with runs that were open, and only then lets the clock's trust and a tick make prompts due.
    private mutating func enter(_ entry: StudyEntry, at now: Moment) {
        let old = study
        (study, lostEnrolment, leftForGood) = (entry.study, entry.lostEnrolment, entry.leftForGood)
        // Later on it is known here, and the log may be behind.
        if !hasEntered, let since = entry.lostSince { loss = owner.map { ($0.id, since) } }
        (isDating, hasEntered) = (false, true)
        noteOff(entry, at: now)
        if let before = study?.zoneBefore {
            append([.zoneChanged(from: before, to: setting.zone.identifier, until: clock.off?.since)], at: now)
        }
        if lostEnrolment != nil { logRemark("store", entry.loss, at: now) }
        if let old, old.record.id == study?.record.id { study?.conductor.keepPrompts(of: old.conductor) }
        endOrphans(at: now)
        emit(.measure)
        let broken = closeOpenRuns(entry.openRuns, at: now)
        if !entry.found.isEmpty {
            let run = broken.flatMap { study?.conductor.runName(of: $0.task, opening: $0.opening) ?? nil }
            emit(.settle(entry.found, resumed: run))
        }
        if let broken, let effects = study?.conductor.resume(broken, at: now) { apply(effects, at: now) }
        if isTrusted { reportTrust(at: now) }
        showFault(at: now)
        tellDroppedTimes(since: old, at: now)
        runConductor(.tick, at: now)
    }

    /// Notes when the device was off. For the prompts of a study that was lost and is back it was off all the time.
    private mutating func noteOff(_ entry: StudyEntry, at now: Moment) {
        if let off = entry.off { clock.noteOff(off) }
        if let lost = entry.lostEnrolment { return noteLoss(of: lost.id, entry, at: now) }
        if loss?.enrolment != entry.study?.record.id { loss = nil }
        if let loss { clock.noteOff((loss.since, now.monotonic)) }
    }

    /// Writes when a loss began into the log: a later start may be the one that has the study back.
    private mutating func noteLoss(of enrolment: String, _ entry: StudyEntry, at now: Moment) {
        guard loss?.enrolment != enrolment else { return }
        let since = entry.off?.since ?? now.instant
        loss = (enrolment, since)
        var row = StudyCommit()
        row.events = [.serverFact(name: ServerFact.lost, text: "\(since.nanoseconds)")]
        commit(row, at: setting.stamp(enrolment, at: now))
    }

    /// What fell due during a loss has ended by now.
    private mutating func endLoss(at now: Moment) {
        guard isTrusted, let loss, loss.enrolment == study?.record.id else { return }
        self.loss = nil
        append([.serverFact(name: ServerFact.lost, text: "")], at: now)
    }

    /// Logs the outcome of open occurrences whose task the study no longer has.
    private mutating func endOrphans(at now: Moment) {
        append(
            (study?.orphans ?? []).map {
                .concluded(occurrence: OccurrenceRecord($0.occurrence), outcome: $0.outcome)
            }, at: now)
    }

    /// Closes in the log the runs that were open when the device went off; they were not submitted. The
    /// first with progress rows (a count of kicks) goes on instead, and is returned.
    private mutating func closeOpenRuns(_ runs: [LeftRun], at now: Moment) -> BrokenRun? {
        var broken: BrokenRun?
        var closed: [StudyEvent] = []
        for run in runs {
            let progress = BrokenPerformance.all(run.rows, at: now, boot: setting.bootID, isTrusted: isTrusted)
            if broken == nil, !progress.isEmpty {
                broken = BrokenRun(task: run.task, opening: run.opening, occurrence: run.occurrence, progress: progress)
            } else {
                closed.append(.runLeft(task: run.task, opening: run.opening))
            }
        }
        append(closed, at: now)
        return broken
    }

    /// A participant enrolled while the date was unknown was enrolled at the first trusted time,
    /// less what this boot's clock has counted since: an enrolment of an earlier boot is of that
    /// time itself. The study's days count from it, and its server learns of it now. Waits until
    /// nothing is open.
    private mutating func dateEnrolment(at now: Moment) {
        guard isTrusted, let record = study?.record, let since = record.undated, isAtRest else { return }
        isDating = true
        let past = since.bootID == setting.bootID ? now.monotonic - since.monotonic : .zero
        let moment = Moment(instant: now.instant - past, monotonic: now.monotonic)
        let local = setting.zone.local(moment.instant)
        var row = StudyCommit()
        row.events = [.enrolmentDated(instant: moment.instant, local: local)]
        let zone = record.zone == nil ? nil : study?.encoder.context.enrolment.zone
        if let enrolment = record.dated(moment.instant, local).enrolment(in: zone) {
            study?.encoder.setDated(enrolment)
            row.drafts = study?.encoder.drafts(.enrolled, at: moment) ?? []
        }
        commit(row, at: now)
        emit(.reload)
    }

    /// Commits what is held and discards files of open runs, then reads the enrolment from the log.
    private mutating func leaveEnrolment(at now: Moment) {
        release(at: now)
        discard(files.recordings.leave())
        emit(.enter)
    }

    private mutating func stop(at now: Moment) {
        release(at: now)
        append([.agentStopped(reason: "asked to")], at: now)
        emit(.finish)
        emit(.device(.stopSignals))
    }

    /// Goes on with the study as it was read again. Measuring continues unless the new version has other
    /// needs (`StudyNeeds`); then everything is entered again.
    private mutating func reload(_ renewed: ActiveStudy?, at now: Moment) {
        isDating = false
        guard var renewed, let old = study, renewed.record.id == old.record.id, renewed.needs == old.needs else {
            return leaveEnrolment(at: now)
        }
        renewed.conductor.keepMeasured(by: old.conductor)
        study = renewed
        endOrphans(at: now)
        if isTrusted { reportTrust(at: now) }
        runConductor(.fault(fault), at: now)
        tellDroppedTimes(since: old, at: now)
        runConductor(.tick, at: now)
    }

    private mutating func tellDroppedTimes(since old: ActiveStudy?, at now: Moment) {
        guard let old, old.record.id == study?.record.id else { return }
        let effects = study?.conductor.tellDroppedTimes(since: old.conductor, at: now) ?? []
        if !effects.isEmpty { apply(effects, at: now) }
    }

    // MARK: The wall clock

    /// Notices a step of the wall clock, and that it became trusted or no longer is: takes new
    /// anchors and plans again.
    private mutating func followClock(_ reading: ClockReading) {
        let now = reading.moment
        // What is odd about the clock is logged once, when it begins.
        if clock.setNote(reading.note), let note = reading.note { logRemark("clock", note, at: now) }
        switch clock.change(in: reading) {
        case nil: break
        case .news: addAnchor(reading)
        case .step(let step):
            let wasTrusted = isTrusted
            append([.clockStepped(nanoseconds: step.nanoseconds)], at: now)
            addAnchor(reading)
            if wasTrusted { runConductor(.clockJumped(by: step), at: now) }
            runConductor(.tick, at: now)
        }
    }

    private mutating func addAnchor(_ reading: ClockReading) {
        let isNewTrust = clock.addAnchor(reading)
        append([.anchored(anchor: reading.record)], at: reading.moment)
        emit(.anchors(anchors))
        if reading.anchor.isTrusted { sealWaiting() }
        if isNewTrust, study != nil { reportTrust(at: reading.moment) }
    }

    /// Passes on whether the clock is trusted, and first how long the device was off, which is known only
    /// with a trusted clock. An enrolment without a date waits: nothing is due before it is dated.
    private mutating func reportTrust(at now: Moment) {
        guard !isTrusted || study?.record.undated == nil else { return }
        if isTrusted, let off = clock.takeOff() {
            runConductor(.wasOff(from: off.since, to: now.instant(at: off.until)), at: now)
        }
        runConductor(.clock(trusted: isTrusted), at: now)
        endLoss(at: now)
    }

    private mutating func sealWaiting() {
        let waiting = clock.takeWaiting()
        if !waiting.isEmpty { emit(.seal(waiting, anchors)) }
    }

    // MARK: Another version of the study
    //
    // A run that is open is finished, submitted and sent as what it was begun as; the new version is
    // followed from the moment nothing is open. Occurrences that ended before keep their outcome,
    // since their ids stay the same, or are given to no other (`RunNumbering`).

    /// Follows the version that waits, if its moment has come (`isAtRest`). One for which it
    /// matters when it is taken up also waits until that moment is known.
    private mutating func followUpdate() {
        guard let update, let study, isAtRest, isTrusted || !update.loaded.study.dependsOnTakeUp else { return }
        self.update = nil
        updateBeingKept = update
        emit(.keepUpdate(update, source: study.record.source))
    }

    private mutating func updateKept(_ version: String, _ digest: String, at now: Moment) {
        let startsHere = updateBeingKept?.loaded.study.dependsOnTakeUp ?? false
        // Where it matters when the new version comes, what is due by now is of the version before.
        if startsHere { runConductor(.tick, at: now) }
        // The server may have been asked twice and both times have had the same version.
        guard digest != study?.record.fileDigest else { return }
        if startsHere { runConductor(.versionEnds, at: now) }
        guard let study else { return }
        var row = StudyCommit()
        row.events = [
            .studyUpdated(fileDigest: digest, version: version),
            .serverFact(name: ServerFact.version, text: version),
        ]
        if let updateBeingKept, updateBeingKept.version == version {
            let takeUp = VersionTakeUp(of: updateBeingKept, after: study)
            row.events += takeUp.events(at: now)
            row.drafts = takeUp.drafts(at: now)
        }
        updateBeingKept = nil
        commit(row, at: now)
        emit(.reload)
    }

    // MARK: Files of runs

    mutating func perform(_ effect: StudyConductor.Effect, adding row: inout StudyCommit) {
        switch effect {
        case .device(.remark(let words)):
            emit(.remark("study", words))
            row.events.append(.fault(place: "study", message: words))
        case .device(let effect): perform(effect)
        case .withdraw(let deletes): emit(.withdraw(deletesData: deletes))
        case .note(.runLeft):
            discard(files.memos.leave() + files.recordings.leave())
        case .note, .report: break
        }
    }

    private mutating func perform(_ effect: DeviceEffect) {
        switch effect {
        case .playRecording(let id): if let memo = files.memos[id] { emit(.playMemo(memo)) }
        case .discardRecording(let id): if let memo = files.memos.discard(id) { emit(.discard(memo)) }
        case .startRecorders(let recordings):
            files.recordings.start(recordings)
            emit(.device(effect))
        default: emit(.device(effect))
        }
    }

    private mutating func handle(_ news: RecorderNews, of owner: EnrolmentRecord?, at now: Moment) {
        switch news {
        case .sealed(let recordings):
            let others = recordings.filter { !$0.isOfRun }
            if !others.isEmpty { register(others, of: owner, at: now) }
            // Files of runs from before a restart, which could be sealed only with a trusted clock.
            let ofRuns = recordings.filter(\.isOfRun)
            if !ofRuns.isEmpty { emit(.settle(ofRuns, resumed: study?.conductor.openRun)) }
        case .memo(let id, let recording): handle(recording, spoken: id, of: owner, at: now)
        case .memoFailed(let id):
            files.failMemo(id)
            runConductor(.device(.recordingFailed(id)), at: now)
            releaseComplete(at: now)
        case .task(let recorded): handle(recorded, of: owner, at: now)
        case .direction(let degrees): runConductor(.device(.reading(degrees.map { [$0] })), at: now)
        case .progress(let isStored): runConductor(.recording(isStored), at: now)
        // What a former participant's sensors said is not the present one's.
        case .epochs(let epochs): if owner?.id == study?.record.id { runConductor(.epochs(epochs), at: now) }
        case .computed: break
        case .notWorn(let since):
            runConductor(.notWorn(since: since.map(now.instant(at:))), at: now)
        }
    }

    private mutating func handle(
        _ recording: SealedRecording, spoken id: String, of owner: EnrolmentRecord?, at now: Moment
    ) {
        guard let (memo, isAwaited) = files.keep(recording, of: id) else { return }
        guard isAwaited else { return register([memo], of: owner, at: now) }
        files.add(memo, addressed([memo], of: study?.record))
        releaseComplete(at: now)
    }

    /// Files that never change again go into the log and the outbox of their owner, who may
    /// have left meanwhile.
    private mutating func register(_ recordings: [SealedRecording], of owner: EnrolmentRecord?, at now: Moment) {
        var row = StudyCommit()
        row.files = [addressed(recordings, of: owner)]
        if let owner, owner.id == leftForGood {
            row.files[0].isToBeSent = false
            row.files[0].isRemoved = true
            discard(recordings)
        }
        // Not queued after a held submission: the files may be another enrolment's.
        emit(.commit(row, setting.stamp(owner?.id ?? "", at: now)))
    }

    /// These files, with what the study's own server is sent with those that it takes.
    private func addressed(_ recordings: [SealedRecording], of owner: EnrolmentRecord?) -> StudyCommit.Files {
        guard let study, owner?.id == study.record.id else { return StudyCommit.Files(recordings, of: owner) }
        return study.addressed(recordings)
    }

    private mutating func discard(_ files: [SealedRecording]) {
        for file in files { emit(.discard(file)) }
    }

    private mutating func handle(_ recorded: TaskRecorded, of owner: EnrolmentRecord?, at now: Moment) {
        switch files.recordings.end(recorded) {
        case .kept: break
        case .discarded(let files): discard(files)
        case .owed(let files): if !files.isEmpty { register(files, of: owner, at: now) }
        }
        releaseComplete(at: now)
    }

    /// Holds a submission until everything recorded for its run is sealed, then commits both in one
    /// transaction. One that is still held is committed first.
    mutating func hold(_ row: StudyCommit, of submission: Submission, at now: Moment) {
        release(at: now)
        let (named, missing, unnamed) = files.memos.submit(submission.answers.values)
        var row = row
        row.files.append(addressed(named, of: study?.record))
        discard(unnamed)
        files.hold(HeldSubmission(submission, memos: named, missing: missing, row: row, at: stamp(now)))
        releaseComplete(at: now)
    }

    /// Commits what is held once nothing is waited for.
    private mutating func releaseComplete(at now: Moment) {
        if let held = files.takeComplete() { release(held, at: now) }
    }

    /// Commits what is held, with the files that are there; nothing happens where nothing is held.
    private mutating func release(at now: Moment) {
        if let held = files.takeHeld() { release(held, at: now) }
    }

    private mutating func release(_ held: HeldSubmission, at now: Moment) {
        var row = held.row
        if let run = held.submission.course?.id {
            let (recorded, earlier, sealed) = files.submit(run)
            row.files.append(addressed(sealed, of: study?.record))
            if let result = result(of: held, recorded, earlier) {
                row.results = [result.entry].compactMap(\.self)
                row.drafts += drafts(of: result, at: now)
            }
        }
        commit(row, at: held.stamp)
        for (row, stamp) in held.later { commit(row, at: stamp) }
    }

    private func result(
        of held: HeldSubmission, _ recorded: [TaskRecorded], _ earlier: [SealedRecording]
    ) -> RunResult? {
        guard let study, let task = study.loaded.study.task(held.submission.task) else { return nil }
        return RunResult(
            submission: held.submission, task: task, enrolment: study.record.id, zone: setting.zone,
            recorded: recorded, earlier: earlier, memos: held.memos, digest: setting.digest,
            numbering: study.conductor.scheduler.facts.runNumbering(of: task.key)?.count ?? 1)
    }

    /// The requests that carry what was recorded, where the study's server takes that with the
    /// answers.
    private mutating func drafts(of result: RunResult, at now: Moment) -> [OutboxDraft] {
        guard study?.encoder.waits(result.submission) == true else { return [] }
        var submission = result.submission
        submission.recorded = result.recordings
        submission.spoken = result.spoken
        return study?.encoder.drafts(.submitted(submission), at: now) ?? []
    }

    /// Files that an earlier start left, by what the log knows of the latest enrolment: kept for a run that goes
    /// on or was submitted, discarded for one that was not. A spoken answer is kept where a submission names it.
    private mutating func settle(_ found: [SealedRecording], _ knowledge: RunKnowledge, at now: Moment) {
        for file in found {
            if let memo = file.memo { settle(file, isKept: knowledge.named.contains(memo), knowledge, at: now) }
            guard knowledge.latest != nil, let note = file.description.task else { continue }
            if note.run == knowledge.resumed, !files.wasSubmitted(note.run) {
                files.recordings.adopt([file], of: note.run)
            } else {
                let isSubmitted = files.wasSubmitted(note.run) || knowledge.wasSubmitted(note.run, of: note.task)
                settle(file, isKept: isSubmitted, knowledge, at: now)
            }
        }
    }

    private mutating func settle(_ file: SealedRecording, isKept: Bool, _ knowledge: RunKnowledge, at now: Moment) {
        if isKept, let latest = knowledge.latest {
            register([file], of: latest, at: now)
        } else {
            emit(.discard(file))
        }
    }
}

extension StudyConductor.Effect {
    /// The submission, where the effect is the note of one.
    fileprivate var submission: Submission? {
        if case .note(.submitted(_, _, let submission)) = self { submission } else { nil }
    }

    /// A report of what was looked at on the panel.
    fileprivate var isView: Bool {
        switch self {
        case .report(.listOpened), .report(.listLeft), .report(.graphsOpened), .report(.graphsLeft),
            .report(.menuOpened), .report(.menuLeft):
            true
        default: false
        }
    }

    /// A sound of the study. It is carried out after the other effects of the same call, so that a prompt's tone
    /// (`.signal`) comes before it.
    fileprivate var isSound: Bool {
        switch self {
        case .device(.play), .device(.playRecording): true
        default: false
        }
    }
}
