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

        /// Of that boot; `digest` is SHA-256.
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

    let setting: Setting
    /// nil while nobody takes part.
    package private(set) var study: ActiveStudy?
    var clock = WallClock()
    /// The enrolment of which nothing more is to be sent.
    package private(set) var leftForGood: String?
    /// Who took part when the store was lost, where a copy beside it knows; nil else.
    package private(set) var lostEnrolment: EnrolmentRecord?
    var memos = PendingVoiceMemos()
    var shelf = PendingRecordings()
    var held: HeldSubmission?
    /// Since the start: their rows may be on their way to the log.
    var submittedRuns: Set<String> = []
    /// Waits until nothing is open.
    var update: PendingUpdate?
    /// Its bytes are on their way to the disk.
    var coming: PendingUpdate?
    /// The study is read anew, since its days begin on another one.
    private(set) var isDating = false
    private var fault: String?
    private(set) var agentFails = false
    private var effects: [CoreEffect] = []

    package init(_ setting: Setting) { self.setting = setting }

    /// Readings of the clocks of this boot; the first is kept.
    package var anchors: [ClockAnchor] { clock.anchors }
    package var isTrusted: Bool { clock.isTrusted }
    /// What is odd about the clock, as it was told last.
    package var clockNote: String? { clock.note }

    /// Whose recordings these are: also where the enrolment was lost with the store.
    package var owner: EnrolmentRecord? { study?.record ?? lostEnrolment }

    /// When `.tick` next has something to do.
    package func wake(at now: Moment) -> MonotonicTime? {
        earliest(study?.conductor.wake(at: now), held?.deadline)
    }

    package mutating func handle(_ event: CoreEvent, at reading: ClockReading) -> [CoreEffect] {
        let now = reading.moment
        if case .began(let version) = event { log([.agentStarted(version: version)], at: now) }
        followClock(reading)
        if let held, held.deadline <= now.monotonic { release(at: now) }
        switch event {
        case .began: break
        case .conductor(let event): conduct(event, at: now)
        case .tick: conduct(.tick, at: now)
        case .remark(let place, let words): remark(place, words, at: now)
        case .committed(let hasSubmission): if hasSubmission { conduct(.stored, at: now) }
        case .noted(let events): log(events, at: now)
        case .fault(let fault, let ofAgent): show(fault, ofAgent: ofAgent, at: now)
        case .recorder(let news, let owner): handle(news, of: owner, at: now)
        case .left(let enrolment): leftForGood = enrolment
        case .found(let files, let knowledge): settle(files, knowledge, at: now)
        case .waiting(let files):
            clock.waiting += files
            if reading.anchor.isTrusted { sealWaiting() }
        case .entered(let entry): enter(entry, at: now)
        case .reloaded(let renewed): reload(renewed, at: now)
        case .followed(let news, let enrolment): if study?.record.id == enrolment { conduct(news, at: now) }
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

    mutating func want(_ effect: CoreEffect) { effects.append(effect) }

    /// The requests that a report makes.
    mutating func drafts(_ report: Report, at now: Moment) -> [OutboxDraft] {
        study?.scribe.drafts(report, at: now) ?? []
    }

    mutating func log(_ events: [StudyEvent], at now: Moment) {
        var row = StudyCommit()
        row.events = events
        commit(row, at: now)
    }

    /// Behind a submission that waits for its files, if there is one.
    mutating func commit(_ row: StudyCommit, at now: Moment) {
        guard !row.isEmpty else { return }
        if held != nil {
            held?.later.append(row)
            return
        }
        want(.commit(row, setting.stamp(study?.record.id ?? "", at: now)))
    }

    /// Hands an event to the conductor, where there is one.
    mutating func conduct(_ event: StudyConductor.Event, at now: Moment) {
        guard let effects = study?.conductor.handle(event, at: now) else { return want(.conducted([])) }
        apply(effects, at: now)
    }

    /// Commits what the conductor wants committed, and passes on the rest.
    private mutating func apply(_ wanted: [StudyConductor.Effect], at now: Moment) {
        let wanted = wanted.map { dated($0, at: now) }
        var row = study?.scribe.commit(wanted, at: now) ?? StudyCommit()
        var spoken = SpokenAnswers()
        for index in wanted.indices where !wanted[index].isSound { perform(wanted[index], adding: &row, &spoken) }
        for index in wanted.indices where wanted[index].isSound { perform(wanted[index], adding: &row, &spoken) }
        if let submission = wanted.lazy.compactMap(\.submission).first {
            hold(row, of: submission, spoken, at: now)
        } else {
            commit(row, at: now)
        }
        want(.conducted(wanted))
    }

    /// A submission knows how far off its times can be.
    private func dated(_ effect: StudyConductor.Effect, at now: Moment) -> StudyConductor.Effect {
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

    /// For operators and for the log.
    mutating func remark(_ place: String, _ words: String, at now: Moment) {
        want(.remark(place, words))
        log([.fault(place: place, message: words)], at: now)
    }

    /// Says what is wrong. Where nobody takes part there is no panel, and the light alone shows it.
    private mutating func show(_ fault: String?, ofAgent: Bool, at now: Moment) {
        (self.fault, agentFails) = (fault, ofAgent)
        showFault(at: now)
    }

    private mutating func showFault(at now: Moment) {
        guard study == nil else { return conduct(.fault(fault), at: now) }
        if let fault { want(.showFault(fault)) }
    }
}

// MARK: - The enrolment

extension StudyCore {
    private mutating func enter(_ entry: StudyEntry, at now: Moment) {
        (study, lostEnrolment, leftForGood) = (entry.study, entry.lostEnrolment, entry.leftForGood)
        isDating = false
        if let off = entry.off { clock.off = off }
        if let before = study?.zoneBefore { log([.zoneChanged(from: before, to: setting.zone.identifier)], at: now) }
        if let lostEnrolment {
            remark(
                "store",
                "the enrolment of participant \(lostEnrolment.participant) in study \(lostEnrolment.studyID) was lost; recording continues, but there are no prompts until you enrol again",
                at: now)
        }
        endOrphans(at: now)
        want(.measure)
        let broken = closeOpenRuns(entry.openRuns, at: now)
        if !entry.found.isEmpty {
            let run = broken.flatMap { study?.conductor.runName(of: $0.task, opening: $0.opening) ?? nil }
            want(.settle(entry.found, resumed: run))
        }
        if let broken, let effects = study?.conductor.resume(broken, at: now) { apply(effects, at: now) }
        if isTrusted { reportTrust(at: now) }
        showFault(at: now)
        conduct(.tick, at: now)
    }

    /// Says how those ended whose tasks are no longer in the study.
    private mutating func endOrphans(at now: Moment) {
        log(
            (study?.orphans ?? []).map {
                .concluded(occurrence: OccurrenceRecord($0.occurrence), outcome: $0.outcome)
            }, at: now)
    }

    /// A count of kicks goes on; every other run was broken off, and its answers
    /// were not submitted.
    private mutating func closeOpenRuns(_ runs: [LeftRun], at now: Moment) -> BrokenRun? {
        var broken: BrokenRun?
        var closed: [StudyEvent] = []
        for run in runs {
            if broken == nil,
                let progress = BrokenPerformance(
                    run.rows, at: now, boot: setting.bootID, isTrusted: isTrusted)
            {
                broken = BrokenRun(
                    task: run.task, opening: run.opening, occurrence: run.occurrence, progress: progress)
            } else {
                closed.append(.runLeft(task: run.task, opening: run.opening))
            }
        }
        log(closed, at: now)
        return broken
    }

    /// Whoever was enrolled while nobody knew the date was enrolled at the first trusted time,
    /// less what this boot's clock has counted since: an enrolment of an earlier boot is of that
    /// time itself. The study's days count from it, and its server learns of it now. Waits until
    /// nothing is open.
    private mutating func dateEnrolment(at now: Moment) {
        guard isTrusted, !isDating, let record = study?.record, let since = record.undated,
            study?.conductor.session.isIdle == true, held == nil, !agentFails
        else { return }
        isDating = true
        let past = since.bootID == setting.bootID ? now.monotonic - since.monotonic : .zero
        let moment = Moment(instant: now.instant - past, monotonic: now.monotonic)
        let local = setting.zone.local(moment.instant)
        var row = StudyCommit()
        row.events = [.enrolmentDated(instant: moment.instant, local: local)]
        let zone = record.zone == nil ? nil : study?.scribe.context.enrolment.zone
        if let enrolment = record.dated(moment.instant, local).enrolment(in: zone) {
            study?.scribe.date(enrolment)
            row.drafts = study?.scribe.drafts(.enrolled, at: moment) ?? []
        }
        commit(row, at: now)
        want(.reload)
    }

    /// Nothing of the present enrolment is left undecided.
    private mutating func leaveEnrolment(at now: Moment) {
        release(at: now)
        discardTaskFiles()
        want(.enter)
    }

    private mutating func stop(at now: Moment) {
        release(at: now)
        log([.agentStopped(reason: "asked to")], at: now)
        want(.finish)
        want(.device(.stopSignals))
    }

    /// Measuring goes on, unless the new version needs a microphone or a receiver that
    /// the old did not.
    private mutating func reload(_ renewed: ActiveStudy?, at now: Moment) {
        isDating = false
        guard let renewed, let old = study, renewed.needs == old.needs else { return leaveEnrolment(at: now) }
        study = renewed
        endOrphans(at: now)
        if isTrusted { reportTrust(at: now) }
        conduct(.fault(fault), at: now)
        conduct(.tick, at: now)
    }
}

extension StudyConductor.Effect {
    /// What was submitted, where that is it.
    fileprivate var submission: Submission? {
        if case .note(.submitted(_, _, let submission)) = self { submission } else { nil }
    }

    /// Played after what is said in the same breath, though it was wanted before.
    fileprivate var isSound: Bool {
        switch self {
        case .device(.play), .device(.playRecording): true
        default: false
        }
    }
}
