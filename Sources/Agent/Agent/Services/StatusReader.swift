// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Platforms
import Study
import SystemKit

/// Puts together what `studyd status` prints and `studyd support` collects, and the ledger of a report, from the
/// store and, while the agent runs, from its loop.
package struct StatusReader: Sendable {
    private let database: StudyDatabase
    /// nil when no agent runs.
    private let view: SharedState?
    let stamps: EventClock
    private let folder: String
    /// The running agent's clock; nil when no agent runs.
    var clock: ClockStatus?

    /// A reader of this store; `folder` is the state folder, for the state of its disk.
    package init(database: StudyDatabase, view: SharedState?, stamps: EventClock, folder: String) {
        (self.database, self.view, self.stamps, self.folder) = (database, view, stamps, folder)
    }

    /// The whole ledger. Of a file that is still open, the samples written so far count as stored. With
    /// `isBlinded` it leaves out what rules drew, and the prompts that show it.
    package func ledger(isBlinded: Bool = false) async throws -> Ledger {
        let counts = try await database.counts()
        var ledger = Ledger(occurrences: try await occurrences(isBlinded))
        ledger.isBlinded = isBlinded
        ledger.items = Ledger.ItemCounts(counts)
        if let record = try await database.latestEnrolment()?.record, record.rules != nil {
            ledger.decisions = try await database.decisionCounts(of: record.id)
        }
        ledger.samples = view?.now.past ?? Ledger.SampleCounts(counts)
        if view == nil { ledger.samples.uncounted = Int(try await database.uncountedSamples()) }
        for state in view?.now.measures ?? [] { ledger.samples.add(state) }
        return ledger
    }

    /// What `studyd status` prints: lines for people, or with `json` one object.
    package func text(json: Bool, uploads: Bool) async throws -> String {
        let status = try await status(uploads: uploads)
        return json ? status.json.text : status.text
    }

    /// For `studyd check`; nothing where no agent runs.
    var facts: AgentFacts {
        AgentFacts(
            measures: (view?.now.measures ?? []).map(AgentFacts.Measure.init), faults: view?.now.faults ?? [])
    }

    /// Counts the occurrences in the log (so the same whether the agent runs or not): those that were
    /// prompted, and those that ended without a prompt.
    private func occurrences(_ isBlinded: Bool) async throws -> Ledger.OccurrenceCounts {
        var counts = Ledger.OccurrenceCounts()
        guard let state = try await database.latestEnrolment() else { return counts }
        for (outcome, count) in try await database.occurrenceCounts(of: state.record.id, isBlinded: isBlinded) {
            counts.add(outcome, count: count)
        }
        (counts.selfStarted, counts.selfStartedLeft) = try await database.selfStartedRuns(of: state.record.id)
        return counts
    }

    private func status(uploads: Bool) async throws -> AgentStatus {
        let now = view?.now
        var status = AgentStatus()
        status.add("agent       \(now == nil ? "not running" : "running")", .init("running", .boolean(now != nil)))
        let isCurrent = await database.isCurrent
        if !isCurrent {
            status.add("log         being rebuilt: counts are not complete yet", .init("readingLog", .boolean(true)))
        }
        try await addStudy(to: &status)
        addClock(now, to: &status)
        try await addMeasuring(now, to: &status)
        let next = isPaused ? [] : now?.conductor?.scheduler.upcoming(5) ?? []
        status.add(
            next.prefix(3).map { "next        \(moment($0.due)) \($0.id)" },
            .init("next", .array(next.map { .string("\(ZonedText($0.due, in: stamps.zone)) \($0.id)") })))
        try await addOutbox(to: &status, uploads: uploads)
        let reports = now?.reports ?? ReportStatus(ReportMemoryFile(in: folder).read())
        status.add(reports.line.map { ["report      \($0)"] } ?? [], .init("report", reports.json))
        if let live = now?.live { status.add("live        \(live.line)", .init("live", live.json)) }
        try await addStore(now, to: &status)
        try await addFaults(to: &status)
        // While the log is being read the ledger would not balance.
        if isCurrent {
            let ledger = try await ledger(isBlinded: true)
            status.end(ledger.text, .init("ledger", ledger.json))
        }
        return status
    }

    /// No clock is trusted, so nothing prompts; the line of the clock says so.
    private var isPaused: Bool { clock?.isGood == false }

    private func addStudy(to status: inout AgentStatus) async throws {
        guard let state = try await database.latestEnrolment() else { return await addUnknownStudy(to: &status) }
        let record = state.record
        let isLost = try await studyLoss() != nil
        let arePromptsOn = state.arePromptsOn && !isLost
        let prompts = arePromptsOn ? (isPaused ? "" : ", prompts on") : ", prompts off"
        let participation = state.withdrawn == nil ? prompts : ", withdrawn"
        let date = record.undated == nil ? "" : ", enrolment time not known yet"
        status.add(
            "study       \(record.studyID), participant \(record.participant)\(participation)\(date)",
            .init("study", .string(record.studyID)), .init("participant", .string(record.participant)),
            .init("withdrawn", .boolean(state.withdrawn != nil)), .init("prompts", .boolean(arePromptsOn)),
            .init("enrolled", .string(ZonedText(record.instant, in: stamps.zone).description)),
            .init("enrolledCertain", .boolean(record.undated == nil)))
        if let problem = try await consentProblem(of: state) {
            status.add("consent     \(problem)", .init("consentDue", .string(problem)))
        }
        if let refusal = view?.now.updateRefusal {
            status.add("update      \(refusal)", .init("updateRefused", .string(refusal)))
        }
        if let without = record.without {
            status.add(
                "left out    \(without.joined(separator: ", ")), at enrolment",
                .init("without", .array(without.map { .string($0) })))
        }
        if let progress = try await progress() { status.add(["progress    " + progress.line], progress.members) }
    }

    private func consentProblem(of state: EnrolmentState) async throws -> String? {
        state.withdrawn == nil ? try await database.consent(of: state.record.id).problem : nil
    }

    private func addClock(_ now: SharedState.State?, to status: inout AgentStatus) {
        if let clock {
            let time = stamps.clock.now
            status.add(
                "clock       \(moment(time, showsSeconds: true)), \(clock.line)",
                .init("clock", clock.json(at: ZonedText(time, in: stamps.zone))))
        }
        if let until = now?.conductor?.session.pauseEnd {
            let moment = stamps.moment
            let end = moment.instant + (until - moment.monotonic)
            status.add(
                "sensors     paused by the participant until \(self.moment(end))",
                .init("sensorsPausedUntil", .string(ZonedText(end, in: stamps.zone).description)))
        }
    }

    private func addMeasuring(_ now: SharedState.State?, to status: inout AgentStatus) async throws {
        let measures = (now?.measures ?? []).map(\.entry)
        status.add(measures.flatMap(\.lines), .init("measures", .array(measures.map(\.json))))
        if let coverage = try await coverage() { status.add(coverage.lines, .init("coverage", coverage.json)) }
        if let cost = now?.cost { status.add([], .init("cost", cost.json)) }
        if let health = now?.health {
            status.add(health.line.map { ["device      \($0)"] } ?? [], .init("device", health.json))
        }
        if let position = now?.position { status.add("receiver    \(position)", .init("position", .string(position))) }
    }

    private func addStore(_ now: SharedState.State?, to status: inout AgentStatus) async throws {
        let salvages = ((try? await database.salvages()) ?? []).map(\.words)
        status.add(salvages.map { "log         \($0)" }, .init("salvages", .array(salvages.map { .string($0) })))
        if now == nil, let fault = try? await database.unreadableAnswers() {
            status.add("answers     \(fault)", .init("sealedAnswers", .string("\(fault)")))
        }
        let lost = now?.eventsLost ?? 0
        status.add(
            lost > 0 ? ["events      \(Plural.of(lost, "event")) lost"] : [],
            .init("eventsLost", .integer(Int64(lost))))
        status.add(try await recordingLines())
        let free = DiskSpace(at: folder)?.free
        status.add(
            "disk        \(free.map { "\(ByteText.of($0)) free" } ?? "free space unknown")",
            .init("diskFree", free.map(JSONText.integer) ?? .null))
    }

    /// Of a log without an enrolment, which may be because the store was lost or may not be used.
    private func addUnknownStudy(to status: inout AgentStatus) async {
        let isLeft = await database.leavesFile
        guard isLeft || view?.now.studyLoss != nil else {
            return status.add("study       none yet; next step: studyd enroll SOURCE")
        }
        guard let record = EnrolmentBackup(at: folder).read() else {
            return status.add("study       unknown, since the store cannot be used")
        }
        status.add(
            "study       \(record.studyID), participant \(record.participant), no prompts: the store "
                + (isLeft ? "cannot be used" : "has lost the enrolment"),
            .init("study", .string(record.studyID)), .init("participant", .string(record.participant)),
            .init("prompts", .boolean(false)))
    }

    /// Why the enrolment in force has no study; nil = it has one.
    private func studyLoss() async throws -> Explanation? {
        if let view { return view.now.studyLoss }
        return try await database.enrolmentWithoutStudy().map { EnrolmentError.studyLost($0.lostStudy).explanation }
    }

    private func addOutbox(to status: inout AgentStatus, uploads: Bool) async throws {
        status.add(try await database.outboxSummary().map { "outbox      \($0.line(at: stamps.clock.now))" })
        let kept = try await database.kept()
        status.add(
            kept.map {
                [
                    "outbox      \(Plural.of($0.count, "delivered answer")) still stored (\(ByteText.of($0.bytes))), the first from "
                        + "\(moment($0.oldest)); resend with 'studyd outbox resend'"
                ]
            } ?? [],
            .init(
                "kept",
                .object([
                    .init("count", .integer(Int64(kept?.count ?? 0))), .init("bytes", .integer(kept?.bytes ?? 0)),
                    .init("since", .string(kept.map { $0.oldest.rfc3339() } ?? "")),
                ])))
        let portals = view?.now.portalFaults ?? []
        status.add(
            portals.map { "network     offline: \($0)" }, .init("portals", .array(portals.map { .string($0) })))
        guard uploads else { return }
        let list = OutboxList(database)
        status.add(try await list.lines().map { "  " + $0 }, .init("uploads", .array(try await list.values())))
    }

    private func addFaults(to status: inout AgentStatus) async throws {
        let now = view?.now
        if let fault = now?.fault { status.add([], .init("fault", .string(fault))) }
        let absences = (now?.absences ?? [:]).sorted { $0.key < $1.key }
        status.add([], .init("partsMissed", .object(absences.map { .init($0.key, .integer(Int64($0.value))) })))
        let loss = try await studyLoss()
        let faults = if let now { now.faults } else { [loss, try await participantRefusal()].compactMap(\.self) }
        status.add(
            faults.map { "FAULT       \($0)" }, .init("faults", .array(faults.map { .string($0.description) })))
    }

    /// Why the server takes nothing more of the participant; nil = it does.
    private func participantRefusal() async throws -> Explanation? {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil else { return nil }
        return try await database.serverFact(ServerFact.refusal, of: state.record.id).map(
            Explanation.init(participantRefused:))
    }

    /// Nil without an enrolment, or where its date is not certain.
    private func coverage() async throws -> Coverage? {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil, state.record.undated == nil
        else { return nil }
        return Coverage(
            since: state.record.instant, at: stamps.clock.now, try await database.recordingViews(), of: state.record.id,
            view?.now.measures ?? [])
    }

    /// A line for each kind of recording in the folder: files, bytes, how many were delivered.
    private func recordingLines() async throws -> [String] {
        var kinds: [String: (files: Int, bytes: Int64, delivered: Int)] = [:]
        for view in try await database.recordingViews() where view.removed == nil {
            var kind = kinds[view.recording.measure] ?? (0, 0, 0)
            kind = (kind.files + 1, kind.bytes + view.recording.bytes, kind.delivered + (view.isDelivered ? 1 : 0))
            kinds[view.recording.measure] = kind
        }
        return kinds.sorted { $0.key < $1.key }.map { name, kind in
            "recorded    \(name): \(Plural.of(kind.files, "file")), \(ByteText.of(kind.bytes)), \(kind.delivered) delivered"
        }
    }

    /// `2026-11-22 09:00`, as the participant's clock shows it, or `2026-11-22 09:00:00`.
    private func moment(_ instant: Instant, showsSeconds: Bool = false) -> String {
        String(stamps.zone.local(instant).description.prefix(showsSeconds ? 19 : 16)).replacing("T", with: " ")
    }

    /// How far the participant has come in the study; nil where the platform does not count that.
    private func progress() async throws -> ProgressSummary? {
        guard let state = try await database.latestEnrolment(), let enrolment = state.record.enrolment,
            // Reading a study takes time; it is skipped where the platform counts nothing.
            let platform = PlatformCatalog.standard[PlatformName(rawValue: state.record.platform)],
            type(of: platform).countsProgress, let loaded = try? await database.loadedStudy(state.record)
        else { return nil }
        let end = try await database.progressEnd(of: state, on: loaded.platform, at: stamps.clock.now)
        let tasks = try await database.taskRuns(in: loaded.study, of: enrolment, stamps, at: end)
        return loaded.platform.progress(
            of: tasks, status: try await database.serverFact(ServerFact.status, of: enrolment.id),
            version: try await database.serverFact(ServerFact.version, of: enrolment.id) ?? loaded.study.version,
            at: end)
    }
}

extension MeasureState {
    /// How one measure is shown: its last hour, and the open file with the counts that `recordings show` gives.
    fileprivate var entry: (lines: [String], json: JSONText) {
        let rate = measuredRate.map { ", \((($0 * 100).rounded()) / 100) a second" } ?? ""
        let name = kind.rawValue + String(repeating: " ", count: max(1, 14 - kind.rawValue.count))
        let share =
            lastHour.due > 0 ? " (\(Coverage.percent(.seconds(lastHour.stored), of: .seconds(lastHour.due))))" : ""
        let hour = "last hour: \(lastHour.stored) of \(lastHour.due) \(unit)\(share), \(lastHour.totalLost) lost\(rate)"
        var lines = ["\(name)\(device), \(hour)"]
        if let openFile { lines.append("              in \(openFile.name) so far: \(openFile.stored) \(unit)") }
        let head = JSONText.members([
            "channel": .string(kind.rawValue), "device": .string(device), "unit": .string(unit.rawValue),
        ])
        let rest = JSONText.members([
            "lastHour": .object(Self.members(lastHour)), "nominalRate": .number(nominalRate),
            "measuredRate": measuredRate.map { .number($0) }, "openFile": openFile.map(Self.json),
            "fault": fault.map { .string($0.description) },
        ])
        return (lines, .object(head + Self.members(counts) + rest))
    }

    private static func json(_ file: OpenFileStatus) -> JSONText {
        .object([
            "name": .string(file.name), "stored": .integer(Int64(file.stored)), "lost": .integer(Int64(file.lost)),
        ])
    }

    private static func members(_ counts: SampleCounts) -> [JSONText.Member] {
        [
            .init("due", .integer(Int64(counts.due))), .init("stored", .integer(Int64(counts.stored))),
            .init("lost", .integer(Int64(counts.totalLost))),
        ]
    }
}

extension MeasuringCost {
    fileprivate var json: JSONText {
        .object([
            .init("wakeUps", .integer(Int64(wakeUps))), .init("watermarks", .integer(Int64(watermarks))),
            .init("ringBytes", .integer(Int64(ringBytes))),
        ])
    }
}

extension OutboxSummary {
    fileprivate func line(at now: Instant) -> String {
        let known = DisciplinedClock.age(of: oldest, at: now).map { "\($0.rounded.text) ago" }
        let reason = oldest > now ? "since the clock is behind" : "from before the clock was set"
        let age = known ?? "of unknown age, \(reason)"
        return "\(destination) \(itemClass): \(count) \(state.rawValue) (\(ByteText.of(bytes))), oldest \(age)"
            + (note.map { ": \($0)" } ?? "")
    }
}
