// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import SystemKit

@testable import Agent
@testable import Study

/// The core of the agent through half a year in which everything happens at random: presses, clock
/// steps, server news, other versions of the study, a disk that refuses, files that come late or
/// never, and crashes at any moment, also between a decision and its commit.
///
/// The trial itself remembers what the disk confirmed, and the folder of recordings (`TrialDisk`):
/// what was confirmed must be in the log at the end, once. Everything else is asked of the log.
struct CoreTrial {
    struct Tally: Equatable {
        var crashes = 0
        var crashesWithRowsOnTheirWay = 0
        var events = 0
        var delayedCommits = 0
        var resumptions = 0
        var clockSteps = 0
        var versions = 0
        var submissions = 0
        var filesOfTasks = 0
        var registered = 0
        var spoken = 0
        var settled = 0
        var enrolments = 1
        var decisions = 0
        var draws = 0
        var missedPoints = 0
        var journeys = 0

        var words: String {
            "\(crashes) crashes (\(crashesWithRowsOnTheirWay) before something decided was on the disk), \(events) events, "
                + "\(delayedCommits) commits late, \(clockSteps) clock steps, \(versions) versions, \(enrolments) enrolments, "
                + "\(filesOfTasks) recorders, \(registered) files in the log and \(spoken) spoken answers among them, \(settled) found after a crash, \(resumptions) counts that went on, \(submissions) runs submitted"
                + (decisions == 0
                    ? ""
                    : ", \(decisions) points of rules (\(draws) drawn, \(missedPoints) missed), \(journeys) journeys")
        }
    }

    /// What does not hold.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// What is done wrong on purpose, so that it is seen to be found: the core without a mend to
    /// which the trial once led, and a shell that loses or doubles what the core decided.
    enum Sabotage: String, CaseIterable, Sendable {
        /// Rows that are decided while a submission waits for its files are not kept until
        /// it is committed.
        case noRowsBehindASubmission
        case decisionsAreForgotten, availabilityIsInvented
        case outcomesAreForgotten, answersAreForgotten, answersAreSentTwice, filesAreForgotten, rowsChangePlaces

        var isOfRules: Bool { self == .decisionsAreForgotten || self == .availabilityIsInvented }
    }

    /// What a recorder tells once it is done.
    private enum StartProgress {
        /// nil = it gave no file.
        case task(TaskRecording, Int?)
        case memo(String, Int)
    }

    let database: StudyDatabase
    private let panel: Panel
    private var zone: Zone
    private let study: TrialStudy
    private let limits: SessionLimits
    private let sabotage: Sabotage?
    private(set) var tally = Tally()
    private var generator: SplitMix64
    private var core: StudyCore
    private var now: Moment
    private let end: Instant
    private var boots = 0
    /// When the log's last row before the present boot was written.
    private var lastRow: Instant?
    private var hand: PressPlanner
    private var move: ArraySlice<ButtonEvent> = []
    /// Decided, and not on the disk.
    private var queue: [(row: StudyCommit, stamp: EventStamp)] = []
    private var diskRefusesUntil: MonotonicTime?
    /// Submissions on the disk, of which the core does not know yet.
    private var stored: [[SubmittedRun]] = []
    /// How many events are being performed, each an answer to an effect of the one before.
    private var depth = 0
    private var isClockGood = true
    private var longestOff = 0.0
    private var disk = TrialDisk()
    /// What recorders will tell, and when.
    private var coming: [(due: MonotonicTime, news: StartProgress)] = []
    /// The spoken answer that is being recorded.
    private var memo: (id: String, number: Int)?
    /// When the sensors have something to say next; nil = no rules look at them.
    private var nextEpoch: Instant?
    /// Rows that the conductor wanted since the start, and those of them that the disk
    /// has, by their kinds.
    private var decided: [String] = []
    private var written: [String] = []
    /// Of which others write some too: what a start or another version ends, and what a
    /// server's version is.
    private static let shared: Set<String> = ["runLeft", "concluded", "serverFact"]
    /// Rows that the disk confirmed, by what they are, as the outside knows them.
    private(set) var confirmed: [String] = []

    init(_ study: TrialStudy, days: Int, seed: UInt64, sabotage: Sabotage? = nil) async throws {
        self.study = study
        self.sabotage = sabotage
        generator = SplitMix64(seed: seed)
        panel = try Panel(
            buttons: Panel.buttons(named: ["previous", "select", "next"]), leds: [Panel.LED("status", .mono)],
            buzzer: .fixed, hasLoudspeaker: true, hasMicrophone: true)
        zone = try Zone.load("Europe/Berlin")
        database = try StudyDatabase(.memory)
        var limits = SessionLimits()
        limits.aliveInterval = .seconds(86_400)
        self.limits = limits
        let start = zone.resolve(try LocalDateTime(parsing: "2026-02-01T10:00:00")).instant
        now = Moment(instant: start, monotonic: MonotonicTime(nanoseconds: 0))
        end = start + .seconds(Int64(days) * 86_400)
        hand = PressPlanner(Participant(), panel: panel)
        core = StudyCore(StudyCore.Setting(bootID: "boot 0", zone: zone, digest: Digest.sha256))
        isClockGood = chance(0.7)
        if study.rules != nil { nextEpoch = FeatureWindow.edge(Self.epoch, after: start) }
        try await enrol()
        try await boot(offSince: nil)
    }

    /// While no source vouches for the clock it shows another year.
    private var enroller: Enroller {
        let year = Duration.seconds(400 * 86_400)
        let clock = VirtualClock(now: isClockGood ? now.instant : now.instant - year, monotonic: now.monotonic)
        let stamps = EventClock(clock: clock, bootID: "boot \(boots)", zone: zone)
        return Enroller(
            database: database, panel: panel, zone: zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"), isDated: { [isClockGood] in isClockGood })
    }

    private func enrol() async throws {
        var options = EnrolmentOptions(
            loaded: study.versions[0], participant: "ABC2345\(2 + tally.enrolments % 8)",
            seed: UInt64(tally.enrolments),
            postURL: "http://127.0.0.1/post")
        options.rules = study.rules
        _ = try await enroller.enrol(options)
    }

    // MARK: - Life

    /// Plays to the end with about `crashes` crashes.
    mutating func play(crashes: Int) async throws {
        let span = (end - now.instant).seconds / Double(max(1, crashes))
        longestOff = min(40_000, 2 * span)
        var nextCrash = now.monotonic + .seconds(span * 2 * unit())
        while now.instant < end {
            // Where the last of them is over, time goes on all the same.
            try await step(before: tally.crashes < crashes ? nextCrash : now.monotonic + .seconds(86_400))
            // Most is at stake while questions are asked.
            let isAsked = core.study?.conductor.session.isRunning ?? false
            guard now.monotonic >= nextCrash || isAsked && chance(0.02), tally.crashes < crashes else { continue }
            // Half of them come right after something was decided.
            if chance(0.5) { try await feed(.conductor(.button(press()))) }
            try await crash()
            nextCrash = now.monotonic + .seconds(span * 2 * unit())
        }
        // One more: what is not needed goes then.
        diskRefusesUntil = nil
        try await crash()
        while !queue.isEmpty { try await flush() }
        try checkFiles()
        (tally.registered, tally.spoken) = disk.count
    }

    /// Goes to the next thing that happens, or to `limit`.
    private mutating func step(before limit: MonotonicTime) async throws {
        if move.isEmpty, let conductor = core.study?.conductor, chance(0.97),
            let next = try hand.move(on: conductor, at: now)
        {
            move = next.edges[...]
        }
        let sensed = nextEpoch.map { now.monotonic(at: $0) }
        let times = [core.wake(at: now), move.first?.time, coming.map(\.due).min(), diskRefusesUntil, sensed, limit]
        let time = max(now.monotonic, times.compactMap(\.self).min() ?? limit)
        now = Moment(instant: now.instant + (time - now.monotonic), monotonic: time)
        if let until = diskRefusesUntil, until <= time {
            diskRefusesUntil = nil
            try await flush()
            try await feed(.fault(nil, ofAgent: false))
        }
        if let epoch = nextEpoch, epoch <= now.instant { try await sense(epoch) }
        if let index = coming.firstIndex(where: { $0.due <= time }) {
            try await feed(.recorder(try news(of: coming.remove(at: index).news), of: core.study?.record))
        }
        if let edge = move.first, edge.time <= time {
            move = move.dropFirst()
            try await feed(.conductor(.button(edge)))
        } else {
            try await feed(.tick)
        }
        if chance(0.02) { try await somethingHappens() }
        // What is decided while a submission waits for its files waits behind it.
        if core.isHolding, chance(0.7) { try await feed(.conductor(.button(press()))) }
    }

    private static let epoch = Duration.seconds(900)
    private static let zones = ["Europe/Berlin", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu"]

    /// A quarter of an hour of a body that moves now and then, most of them measured.
    private mutating func sense(_ end: Instant) async throws {
        nextEpoch = FeatureWindow.edge(Self.epoch, before: now.instant) + Self.epoch
        guard isClockGood, chance(0.9) else { return }
        let row = FeatureEpoch(
            source: "accelerometer", start: end - Self.epoch, length: Self.epoch, columns: ["counts_vm"],
            values: [unit() * 2000], coverage: chance(0.9) ? 1 : 0.5, recording: 1)
        try await feed(.recorder(.epochs([row]), of: core.study?.record))
        guard chance(0.02) else { return }
        let since = chance(0.5) ? now.monotonic - .seconds(3600) : nil
        try await feed(.recorder(.notWorn(since: since), of: core.study?.record))
    }

    private mutating func somethingHappens() async throws {
        switch Int(unit() * 9.2) {
        case 0:
            // A step of a clock that is trusted, and back later or never.
            let by = Duration.seconds((unit() - 0.5) * 7200)
            now = Moment(instant: now.instant + by, monotonic: now.monotonic)
            if nextEpoch != nil { nextEpoch = FeatureWindow.edge(Self.epoch, before: now.instant) + Self.epoch }
            tally.clockSteps += 1
            try await feed(.tick)
        case 1:
            isClockGood.toggle()
            try await feed(.tick)
        case 2:
            diskRefusesUntil = now.monotonic + .seconds(unit() * 600)
            try await feed(.fault("The device cannot store data", ofAgent: true))
        case 3:
            let version = study.versions[Int(unit() * Double(study.versions.count))]
            tally.versions += 1
            try await feed(
                .update(PendingUpdate(loaded: version, version: "\(tally.versions)"), of: core.study?.record.id ?? ""))
        case 4:
            let isPaused = chance(0.3)
            let news = StudyConductor.Event.studyStatus(isPaused ? "Paused" : "Active", isPaused: isPaused)
            try await feed(.followed(news, of: core.study?.record.id ?? ""))
        case 5: try await feed(.followed(.message(text: "News", record: "News"), of: core.study?.record.id ?? ""))
        case 6: try await feed(.conductor(.device(.soundFailed)))
        case 7: try await feed(.recorder(.progress(chance(0.5)), of: core.study?.record))
        case 8: try await feed(.conductor(.button(press())))
        default:
            // Somebody else takes part from now on; what was decided for the last is on its way
            // to the disk still.
            _ = try await enroller.withdraw(deletesUnsent: false)
            tally.enrolments += 1
            try await enrol()
            try await feed(.enrolmentChanged)
        }
    }

    private mutating func press() -> ButtonEvent {
        ButtonEvent(button: Int(unit() * 3), isPressed: chance(0.5), time: now.monotonic)
    }

    // MARK: - The shell

    private mutating func boot(offSince: Instant?) async throws {
        core = StudyCore(StudyCore.Setting(bootID: "boot \(boots)", zone: zone, digest: Digest.sha256))
        try await feed(.began(version: "test"))
        let (isGood, waits) = (isClockGood, chance(0.3))
        let (found, waiting) = disk.recover { !isGood && waits }
        tally.settled += found.count + waiting.count
        try await feed(.waiting(waiting))
        try await enter(offSince: offSince, found: found)
        try checkFiles()
    }

    private mutating func enter(offSince: Instant?, found: [SealedRecording] = []) async throws {
        var entry = try await StudyEntry(load(), from: database)
        entry.found = found
        if entry.openRuns.contains(where: { !$0.rows.isEmpty }) { tally.resumptions += 1 }
        entry.off = offSince.map { ($0, now.monotonic) }
        try await feed(.entered(entry))
    }

    private func load() async throws -> ActiveStudy? {
        try await ActiveStudy.load(from: database, panel: panel, zone: zone, limits: limits, lastRow: lastRow, at: now)
    }

    /// The power fails: what is not on the disk is gone, and with it everything in memory.
    private mutating func crash() async throws {
        try checkOrder(isWhole: false)
        (decided, written) = ([], [])
        tally.crashes += 1
        if !queue.isEmpty { tally.crashesWithRowsOnTheirWay += 1 }
        (queue, coming, memo, move, diskRefusesUntil) = ([], [], nil, [], nil)
        var draws = generator
        disk.crash { Double(draws.next() >> 11) / 9_007_199_254_740_992 < 0.3 }
        generator = draws
        lastRow = try await database.newestStamp()?.wall
        hand = PressPlanner(Participant(), panel: panel)
        // The power fails, or the agent alone does, and the kernel's clock goes on.
        let (isPowerCut, away) = (chance(0.8), Duration.seconds(unit() * unit() * longestOff))
        if isPowerCut { boots += 1 }
        now = Moment(
            instant: now.instant + away,
            monotonic: isPowerCut ? MonotonicTime(nanoseconds: 3_000_000_000) : now.monotonic + away)
        isClockGood = chance(0.8)
        if study.rules != nil {
            nextEpoch = FeatureWindow.edge(Self.epoch, before: now.instant) + Self.epoch
            if chance(0.05) { try travel() }
        }
        try await boot(offSince: lastRow)
    }

    private mutating func travel() throws {
        tally.journeys += 1
        zone = try Zone.load(Self.zones[Int(unit() * Double(Self.zones.count))])
    }

    private mutating func feed(_ event: CoreEvent) async throws {
        tally.events += 1
        let anchor = ClockAnchor(
            monotonic: now.monotonic, instant: now.instant, source: isClockGood ? .kernel : .unknown, uncertainty: .zero
        )
        let reading = ClockReading(
            moment: now, anchor: anchor, record: AnchorRecord(anchor, drift: nil), isGood: isClockGood)
        var effects = core.handle(event, at: reading)
        if sabotage == .noRowsBehindASubmission { Self.dropRowsBehindASubmission(&effects) }
        // Before anything is performed, which may lead to more.
        for case .conducted(let wanted) in effects {
            for case .note(let note) in wanted {
                let kinds =
                    if case .progressed = note { ["taskProgress"] } else { EventEncoder.events(note).map(Self.kind) }
                decided += kinds.filter { !Self.shared.contains($0) }
            }
        }
        depth += 1
        for effect in effects { try await perform(effect) }
        depth -= 1
        if let conductor = core.study?.conductor { hand.observe(conductor) }
        try await tellStored()
    }

    /// That runs are stored is news of its own, as from the agent's mailbox.
    private mutating func tellStored() async throws {
        while depth == 0, !stored.isEmpty { try await feed(.committed(stored.removeFirst())) }
    }

    private static func dropRowsBehindASubmission(_ effects: inout [CoreEffect]) {
        var isBehind = false
        effects.removeAll { effect in
            guard case .commit(let row, _) = effect else { return false }
            defer { isBehind = isBehind || row.hasSubmission }
            return isBehind && !row.hasSubmission
        }
    }

    private func sabotaged(_ row: StudyCommit) -> StudyCommit {
        var row = row
        switch sabotage {
        case nil, .noRowsBehindASubmission: break
        case .outcomesAreForgotten: row.events.removeAll { if case .concluded = $0 { true } else { false } }
        case .answersAreForgotten: row.events.removeAll { if case .submitted = $0 { true } else { false } }
        // The same origin again would be the same item: the store knows it.
        case .answersAreSentTwice:
            row.drafts += row.drafts.filter { $0.itemClass == .answers }.map {
                OutboxDraft(
                    origin: $0.origin + "/again", itemClass: .answers, destination: $0.destination, content: $0.content)
            }
        case .filesAreForgotten: row.files = []
        case .decisionsAreForgotten: row.events.removeAll { if case .decided = $0 { true } else { false } }
        case .availabilityIsInvented: row.events = row.events.map(Self.available)
        case .rowsChangePlaces: row.events.reverse()
        }
        return row
    }

    private static func available(_ event: StudyEvent) -> StudyEvent {
        guard case .decided(let own) = event, own.result == .unavailable else { return event }
        return .decided(
            decision: DecisionRecord(
                rule: own.rule, index: own.index, task: own.task, due: own.due, at: own.at, local: own.local,
                result: .control, available: true, reasons: [], state: own.state, probability: 0, label: own.label,
                draw: own.draw, budget: own.budget, outcome: own.outcome, rules: own.rules))
    }

    private mutating func perform(_ effect: CoreEffect) async throws {
        switch effect {
        case .commit(let row, let stamp):
            queue.append((sabotaged(row).registered(to: DeliveryRoutes()), stamp))
            // The disk is slower than the loop now and then.
            if diskRefusesUntil == nil, chance(0.9) { try await flush() } else { tally.delayedCommits += 1 }
        case .device(.signal(let plan)):
            for mark in plan.steps.compactMap(\.mark) where chance(0.98) {
                try await feed(
                    .conductor(.device(.shown(ShownLight(mark: mark, began: now.monotonic, ended: now.monotonic)))))
            }
        case .device(.takePosition):
            try await feed(.conductor(.device(chance(0.5) ? .noPosition : .position(latitude: 52, longitude: 13))))
        case .device(.takeReading): try await feed(.conductor(.device(.reading(chance(0.5) ? nil : [50, 0]))))
        case .device(.startRecording(let id)):
            guard memo == nil, chance(0.9) else { return try await fail(memo: id) }
            memo = (id, disk.begin(memo: id))
        case .device(.stopRecording): stopMemo()
        case .device(.startRecorders(let recordings)):
            for recording in recordings where chance(0.95) {
                let number = chance(0.8) ? disk.begin(recording) : nil
                coming.append((now.monotonic + .seconds(unit() * 3_000), .task(recording, number)))
            }
        case .device(.stopRecorders(let ids)):
            for index in coming.indices {
                guard case .task(let recording, let number) = coming[index].news, ids.contains(recording.id) else {
                    continue
                }
                coming[index].due = min(coming[index].due, now.monotonic + .seconds(unit() * 12))
                if let number { disk.end(number) }
            }
        case .measure: stopMemo()
        case .playMemo(let recording): try disk.hear(recording)
        case .discard(let recording): try disk.discard(recording)
        case .seal(let descriptions, _):
            let sealed = descriptions.compactMap { disk.seal($0.number) }
            try await feed(.recorder(.sealed(sealed), of: core.owner))
        case .settle(let files, let resumed): try await feed(.found(files, try await knowledge(of: files, resumed)))
        case .keepUpdate(let update, let source):
            // The bytes may be refused.
            guard chance(0.8) else { return try await feed(.fault(nil, ofAgent: false)) }
            let digest = try await database.keepStudyFile(update.loaded.bytes, source: source, at: now.instant)
            try await feed(.updateKept(version: update.version, fileDigest: digest.description))
        case .reload:
            try await flush()
            try await feed(.reloaded(try await load()))
        case .enter:
            // Measuring ends: recorders hand over what they have, with its owner.
            let owner = core.owner
            stopMemo()
            let ending = coming
            coming = []
            try await flush()
            try await enter(offSince: nil)
            for recorder in ending { try await feed(.recorder(try news(of: recorder.news), of: owner)) }
        default: break
        }
    }

    // MARK: - Recorders

    private mutating func fail(memo id: String) async throws {
        disk.fail(memo: id)
        try await feed(.recorder(.memoFailed(id), of: core.study?.record))
    }

    /// It is sealed at once as a rule, and now and then when nothing waits for it any more.
    private mutating func stopMemo() {
        guard let (id, number) = memo else { return }
        memo = nil
        disk.end(number)
        let delay = chance(0.6) ? 0 : unit() * (chance(0.5) ? 3 : 40)
        coming.append((now.monotonic + .seconds(delay), .memo(id, number)))
    }

    private mutating func news(of coming: StartProgress) throws -> RecorderNews {
        switch coming {
        case .task(let recording, let number):
            tally.filesOfTasks += 1
            guard let sealed = number.flatMap({ disk.seal($0) }) else { return .task(.notMeasured(recording)) }
            return .task(TaskRecorded(recording: recording, files: [sealed], failures: []))
        case .memo(let id, let number):
            guard chance(0.95), let sealed = disk.seal(number) else {
                disk.fail(memo: id)
                return .memoFailed(id)
            }
            return .memo(id, sealed)
        }
    }

    private func knowledge(of files: [SealedRecording], _ resumed: String?) async throws -> RunKnowledge {
        var knowledge = RunKnowledge(latest: try await database.latestEnrolment()?.record, resumed: resumed)
        guard let latest = knowledge.latest else { return knowledge }
        if files.contains(where: { $0.memo != nil }) {
            knowledge.named = try await database.spokenAnswers(in: latest.id)
        }
        for task in Set(files.compactMap(\.description.task?.task)) {
            for opening in try await database.submittedOpenings(of: task, in: latest.id) {
                knowledge.submitted.insert("\(task)/\(opening)")
            }
        }
        return knowledge
    }

    /// Everything that was decided reaches the disk, in its order; what was submitted is confirmed
    /// to the participant then.
    private mutating func flush() async throws {
        while !queue.isEmpty {
            let (row, stamp) = queue.removeFirst()
            try await database.append(row.events, sending: row.drafts, at: stamp)
            let kinds = row.events.map(Self.kind)
            // What a version begins with is written with it, and is no note of the conductor's.
            if !kinds.contains("studyUpdated") { written += kinds.filter(Self.kinds.contains) }
            try disk.record(row.events)
            for case .submitted(let task, let opening, _) in row.events {
                confirmed.append("\(stamp.enrolment) \(task)/\(opening)")
                tally.submissions += 1
            }
            if row.hasSubmission { stored.append(row.submissions) }
        }
        try await tellStored()
    }

    // MARK: - What must be true

    /// Kinds of rows that only the conductor's notes become.
    private static let kinds: Set<String> = [
        "drawn", "prompted", "presented", "pressed", "released", "promptPutOff", "listOpened", "listLeft", "menuOpened",
        "menuLeft", "promptsSwitched", "runOpened", "answered", "submitted", "taskProgress", "occurrencesReturned",
        "variableSet", "marked", "sensorsPaused", "sensorsResumed", "decided", "raised", "outcomeMeasured",
    ]

    /// The label of its case, as the log has it; costs no encoding.
    private static func kind(_ event: StudyEvent) -> String {
        Mirror(reflecting: event).children.first?.label ?? "\(event)"
    }

    private mutating func checkFiles() throws {
        let onTheirWay = Set(
            queue.flatMap(\.row.events).compactMap { event in
                if case .recordingSealed(let record) = event { Int(record.id) } else { nil }
            })
        try disk.check(of: core.owner?.id ?? "", open: core.study?.conductor.openRun, onTheirWay: onTheirWay)
    }

    /// What is on the disk is what was decided, in its order; of what was decided last some
    /// may be on its way.
    private func checkOrder(isWhole: Bool) throws {
        guard decided.starts(with: written), !isWhole || decided.count == written.count else {
            throw Broken(description: "decided were \(decided.suffix(20)), on the disk are \(written.suffix(20))")
        }
    }

    /// Throws what is broken.
    mutating func check() async throws {
        try checkOrder(isWhole: !core.isHolding)
        guard let study = core.study else { throw Broken(description: "there is no enrolment") }
        let enrolment = study.record.id
        let scheduler = study.conductor.scheduler
        guard scheduler.ledger.isBalanced else { throw Broken(description: "the ledger: \(scheduler.ledger)") }
        guard try await database.counts().isBalanced else { throw Broken(description: "the store's ledger is uneven") }
        try disk.checkAll(try await database.recordingViews())
        try await checkDates()
        if let fault = try await database.verifyLog() { throw Broken(description: "the chain: \(fault)") }
        let outcomes = try await database.outcomes(of: enrolment)
        for ending in scheduler.endings where outcomes[ending.occurrence.id] != ending.outcome {
            throw Broken(
                description:
                    "\(ending.occurrence.id) is \(String(describing: ending.outcome)), in the log \(String(describing: outcomes[ending.occurrence.id]))"
            )
        }
        try await checkOutcomes()
        try await checkDecisions(enrolment)
        try await checkAnswers(enrolment)
        let live = try await database.projectionDump()
        try await database.rebuildProjections()
        guard try await database.projectionDump() == live else {
            throw Broken(description: "what follows from the log is not what was there")
        }
        guard let again = try await load() else { throw Broken(description: "the log has no enrolment") }
        let endings = again.conductor.scheduler.endings.map { "\($0.occurrence.id) \(String(describing: $0.outcome))" }
        let own = scheduler.endings.map { "\($0.occurrence.id) \(String(describing: $0.outcome))" }
        guard Set(endings) == Set(own) else {
            throw Broken(
                description:
                    "the log replayed ends otherwise: \(Set(endings).symmetricDifference(own).sorted().prefix(6))")
        }
    }

    /// An enrolment gets its date once, and never one of the year that the clock showed while no
    /// source vouched for it.
    private func checkDates() async throws {
        var dated: Set<String> = []
        for event in try await database.events(kind: "enrolmentDated", limit: -1) {
            guard case .enrolmentDated(let instant, _) = event.event else { continue }
            guard dated.insert(event.stamp.enrolment).inserted else { throw Broken(description: "dated twice") }
            guard (event.stamp.wall - instant).magnitude < .seconds(200 * 86_400) else {
                throw Broken(description: "an enrolment is dated \(instant)")
            }
        }
        guard
            core.study?.record.undated == nil || !isClockGood || core.isHolding
                || core.study?.conductor.session.isIdle == false
        else {
            throw Broken(description: "an enrolment has no date though the clock is certain")
        }
    }

    /// A prompt has one outcome, unless it returned to the future in between.
    private func checkOutcomes() async throws {
        var ended: Set<String> = []
        for event in try await database.events(limit: -1) {
            switch event.event {
            case .concluded(let occurrence, _):
                let name = event.stamp.enrolment + " " + occurrence.id
                guard ended.insert(name).inserted else { throw Broken(description: "\(name) ended twice") }
            case .occurrencesReturned(let ids): for id in ids { ended.remove(event.stamp.enrolment + " " + id) }
            default: break
            }
        }
    }

    private mutating func checkDecisions(_ enrolment: String) async throws {
        guard study.rules != nil else { return }
        var check = DecisionCheck(core.study?.loaded.study.rules)
        let rows = try await database.events(limit: -1)
        for row in rows { try check.take(row) }
        try check.finish()
        for state in try await database.enrolments() { try prove(rows, of: state.record) }
        (tally.decisions, tally.draws, tally.missedPoints) = (check.decisions, check.drawn, check.missed)
        let counts = try await database.decisionCounts(of: enrolment)
        guard counts.isBalanced else { throw Broken(description: "the ledger of decisions: \(counts)") }
    }

    /// Every point of the clock is where it has to be, and no draw is another than its seed's.
    private func prove(_ rows: [LoggedEvent], of record: EnrolmentRecord) throws {
        let zone = try record.zone.map { try Zone.load($0) }
        guard let rules = core.study?.loaded.study.rules, let enrolment = record.enrolment(in: zone) else { return }
        var proof = RuleProof(
            rules,
            context: ScheduleContext(
                enrolment: enrolment, zone: enrolment.zone, chance: Chance(enrolmentSeed: enrolment.seed),
                facts: StudyFacts())
        ) { try? Zone.load($0) }
        for row in rows {
            let now = Moment(instant: row.stamp.wall, monotonic: row.stamp.monotonic)
            if case .agentStarted = row.event { proof.restart(at: now.monotonic) }
            guard row.stamp.enrolment == record.id else { continue }
            do throws(RuleProof.Difference) {
                switch row.event {
                case .decided(let decision): try proof.check(decision, at: now, isMeasured: false)
                case .outcomeMeasured(let outcome): try proof.check(outcome, at: now, isMeasured: false)
                default: proof.note(row.event, at: now)
                }
            } catch { throw Broken(description: "\(record.id): \(error)") }
        }
    }

    /// What was confirmed is in the log, once, and was given to the outbox, once.
    private func checkAnswers(_ enrolment: String) async throws {
        var logged: [String] = []
        for event in try await database.events(kind: "submitted", limit: -1) {
            if case .submitted(let task, let opening, _) = event.event {
                logged.append("\(event.stamp.enrolment) \(task)/\(opening)")
            }
        }
        guard logged.sorted() == confirmed.sorted() else {
            throw Broken(description: "\(confirmed.count) answers were confirmed, \(logged.count) are in the log")
        }
        guard Set(logged).count == logged.count else { throw Broken(description: "an answer is in the log twice") }
        var sent: [String] = []
        for item in try await database.items(limit: 1_000_000) where item.item.itemClass == .answers {
            guard case .request(let request) = try await database.content(of: item), study.isAnswer(request) else {
                continue
            }
            sent.append(item.item.id)
        }
        guard Set(sent).count == sent.count else { throw Broken(description: "an answer is sent twice") }
        guard sent.count == logged.count else {
            throw Broken(description: "\(logged.count) answers in the log, \(sent.count) in the outbox")
        }
    }

    private mutating func unit() -> Double { Double(generator.next() >> 11) / 9_007_199_254_740_992 }
    private mutating func chance(_ probability: Double) -> Bool { unit() < probability }
}
