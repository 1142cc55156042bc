// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import Platforms
import Recording
import Samples
import Store
import StudyEngine
import StudyModel
import SystemKit
import Times

/// Puts together what `studyd status` prints, from the store and, while the agent runs, from its loop.
package struct StatusReader: Sendable {
    private let database: StudyDatabase
    /// nil when no agent runs.
    private let view: SharedState?
    let stamps: EventClock
    private let folder: String
    /// The running agent's clock; nil when no agent runs.
    var clock: ClockStatus?

    /// A reader of this store; `folder` is the state folder, whose disk is looked at.
    package init(database: StudyDatabase, view: SharedState?, stamps: EventClock, folder: String) {
        self.database = database
        self.view = view
        self.stamps = stamps
        self.folder = folder
    }

    /// The whole ledger. Samples of files that are open count as stored as far as they are.
    package func ledger() async throws -> Ledger {
        let counts = try await database.ledger()
        var ledger = Ledger(occurrences: try await occurrences())
        ledger.items = Ledger.ItemCounts(counts)
        ledger.samples = view?.now.past ?? Ledger.SampleCounts(counts)
        for state in view?.now.measures ?? [] { ledger.samples.add(state) }
        return ledger
    }

    /// For people, or with `json` one object.
    package func text(json: Bool, uploads: Bool) async throws -> String {
        let value = try await value(uploads: uploads)
        return json ? value.text : try await page(uploads: uploads)
    }

    /// For `studyd check`; nothing where no agent runs.
    var facts: AgentFacts {
        AgentFacts(
            measures: (view?.now.measures ?? []).map(AgentFacts.Measure.init), faults: view?.now.faults ?? [])
    }

    /// Those that the log knows, whether the agent runs or not: prompted, or ended without.
    private func occurrences() async throws -> Ledger.OccurrenceCounts {
        var counts = Ledger.OccurrenceCounts()
        guard let state = try await database.latestEnrolment() else { return counts }
        for (outcome, count) in try await database.occurrenceCounts(of: state.record.id) {
            counts.add(outcome, count: count)
        }
        counts.selfStarted = try await database.selfStartedRuns(of: state.record.id)
        return counts
    }

    private func value(uploads: Bool) async throws -> JSONText {
        var members: [JSONText.Member] = [.init("running", .boolean(view != nil))]
        if await !database.isCurrent { members.append(.init("readingLog", .boolean(true))) }
        if let state = try await database.latestEnrolment() {
            members.append(.init("study", .string(state.record.studyID)))
            members.append(.init("participant", .string(state.record.participant)))
            members.append(.init("withdrawn", .boolean(state.withdrawn != nil)))
            members.append(.init("prompts", .boolean(state.arePromptsOn)))
            members.append(.init("enrolled", .string(ZonedText(state.record.instant, in: stamps.zone).description)))
            if let without = state.record.without {
                members.append(.init("without", .array(without.map { .string($0) })))
            }
            members.append(.init("enrolledCertain", .boolean(state.record.undated == nil)))
        }
        members += try await counted()?.members ?? []
        members.append(.init("measures", .array((view?.now.measures ?? []).map(\.json))))
        if let coverage = try await coverage() { members.append(.init("coverage", coverage.json)) }
        if let cost = view?.now.cost { members.append(.init("cost", cost.json)) }
        let next = view?.now.conductor?.scheduler.upcoming(5) ?? []
        members.append(
            .init("next", .array(next.map { .string(ZonedText($0.due, in: stamps.zone).description + " " + $0.id) })))
        if let clock { members.append(.init("clock", clock.json)) }
        if let position = view?.now.position { members.append(.init("position", .string(position))) }
        if let health = view?.now.health { members.append(.init("device", health.json)) }
        if let fault = view?.now.fault { members.append(.init("fault", .string(fault))) }
        let absences = (view?.now.absences ?? [:]).sorted { $0.key < $1.key }
        members.append(
            .init("partsMissed", .object(absences.map { .init($0.key, .integer(Int64($0.value))) })))
        members.append(.init("eventsLost", .integer(Int64(view?.now.eventsLost ?? 0))))
        members.append(
            .init("salvages", .array(((try? await database.salvages()) ?? []).map { .string($0.words) })))
        members.append(.init("faults", .array((view?.now.faults ?? []).map { .string($0.description) })))
        members.append(.init("diskFree", .integer(freeBytes)))
        let kept = try await database.kept()
        members.append(
            .init(
                "kept",
                .object([
                    .init("count", .integer(Int64(kept?.count ?? 0))), .init("bytes", .integer(kept?.bytes ?? 0)),
                    .init("since", .string(kept.map { $0.oldest.rfc3339() } ?? "")),
                ])))
        members.append(
            .init("portals", .array((view?.now.portalFaults ?? []).map { .string($0) })))
        if uploads {
            members.append(.init("uploads", .array(try await OutboxList(database).values())))
        }
        // Of half a log it would not balance.
        if await database.isCurrent { members.append(.init("ledger", try await ledger().json)) }
        return .object(members)
    }

    private func page(uploads: Bool) async throws -> String {
        var lines: [String] = [view == nil ? "agent       not running" : "agent       running"]
        if await !database.isCurrent { lines.append("log         being rebuilt: counts are not complete yet") }
        if let state = try await database.latestEnrolment() {
            let standing = state.withdrawn == nil ? (state.arePromptsOn ? "prompts on" : "prompts off") : "withdrawn"
            let date = state.record.undated == nil ? "" : ", enrolment time not known yet"
            lines.append(
                "study       \(state.record.studyID), participant \(state.record.participant), \(standing)\(date)")
            if let without = state.record.without {
                lines.append("left out    \(without.joined(separator: ", ")), at enrolment")
            }
            if let counted = try await counted() { lines.append("progress    " + counted.line) }
        } else {
            lines.append("study       none yet; next step: studyd enroll SOURCE")
        }
        if let clock { lines.append("clock       \(clock.line)") }
        for measure in view?.now.measures ?? [] { lines += measure.lines }
        lines += try await coverage()?.lines ?? []
        if let line = view?.now.health.line { lines.append("device      \(line)") }
        if let position = view?.now.position { lines.append("receiver    \(position)") }
        for occurrence in view?.now.conductor?.scheduler.upcoming(3) ?? [] {
            lines.append("next        \(moment(occurrence.due)) \(occurrence.id)")
        }
        for summary in try await database.outboxSummary() {
            lines.append("outbox      \(summary.line(at: stamps.clock.now))")
        }
        if let kept = try await database.kept() {
            lines.append(
                "outbox      \(Plural.of(kept.count, "delivered answer")) still stored (\(ByteText.of(kept.bytes))), the first from "
                    + "\(moment(kept.oldest)); resend with 'studyd outbox resend'")
        }
        for portal in view?.now.portalFaults ?? [] { lines.append("network     offline: \(portal)") }
        if uploads {
            lines += try await OutboxList(database).lines().map { "  " + $0 }
        }
        for record in try await database.salvages() { lines.append("log         \(record.words)") }
        if let lost = view?.now.eventsLost, lost > 0 { lines.append("events      \(Plural.of(lost, "event")) lost") }
        lines += try await recorded()
        lines.append("disk        \(ByteText.of(freeBytes)) free")
        for fault in view?.now.faults ?? [] { lines.append("FAULT       \(fault)") }
        let counts = await database.isCurrent ? try await ledger().text : ""
        return lines.joined(separator: "\n") + "\n" + counts
    }

    /// Nil where nobody is enrolled, or the date of it is not certain.
    private func coverage() async throws -> Coverage? {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil, state.record.undated == nil
        else {
            return nil
        }
        return Coverage(
            since: state.record.instant, at: stamps.clock.now, try await database.recordingViews(), of: state.record.id,
            boot: stamps.bootID, view?.now.measures ?? [])
    }

    /// What lies in the folder of recordings, kind by kind.
    private func recorded() async throws -> [String] {
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

    /// `2026-11-22 09:00`, as the participant's clock shows it.
    private func moment(_ instant: Instant) -> String {
        String(stamps.zone.local(instant).description.prefix(16).map { $0 == "T" ? " " : $0 })
    }

    /// How the study stands, and the participant in it, where the platform counts that.
    private func counted() async throws -> StudyStanding? {
        guard let state = try await database.latestEnrolment(), let enrolment = state.record.enrolment,
            // Reading a study takes its time: nobody waits for it whose platform counts nothing.
            let platform = PlatformCatalog.standard[PlatformName(rawValue: state.record.platform)],
            type(of: platform).countsProgress, let loaded = try await database.loadedStudy(state.record)
        else { return nil }
        let tasks = try await database.taskRuns(in: loaded.study, of: enrolment, stamps)
        return loaded.platform.standing(
            tasks, status: try await database.serverFact(ServerFact.status, of: enrolment.id),
            version: try await database.serverFact(ServerFact.version, of: enrolment.id) ?? loaded.study.version,
            at: stamps.clock.now)
    }

    private var freeBytes: Int64 {
        DiskSpace(at: folder)?.free ?? -1
    }
}

extension MeasureState {
    /// Lines of the status page: the last hour, and the file that is open, of which `recordings show` says the same.
    fileprivate var lines: [String] {
        let rate = measuredRate.map { ", \((($0 * 100).rounded()) / 100) a second" } ?? ""
        let name = kind.rawValue + String(repeating: " ", count: max(1, 14 - kind.rawValue.count))
        let share =
            lastHour.due > 0 ? " (\(Coverage.percent(.seconds(lastHour.stored), of: .seconds(lastHour.due))))" : ""
        let hour = "last hour: \(lastHour.stored) of \(lastHour.due) \(unit)\(share), \(lastHour.totalLost) lost\(rate)"
        let file = openFile.map { "              in \($0.name) so far: \($0.stored) \(unit)" }
        return ["\(name)\(device), \(hour)", file].compactMap(\.self)
    }

    fileprivate var json: JSONText {
        var members: [JSONText.Member] = [
            .init("channel", .string(kind.rawValue)), .init("device", .string(device)), .init("unit", .string(unit)),
            .init("due", .integer(Int64(counts.due))), .init("stored", .integer(Int64(counts.stored))),
            .init("lost", .integer(Int64(counts.totalLost))),
            .init(
                "lastHour",
                .object([
                    .init("due", .integer(Int64(lastHour.due))), .init("stored", .integer(Int64(lastHour.stored))),
                    .init("lost", .integer(Int64(lastHour.totalLost))),
                ])), .init("nominalRate", .number(nominalRate)),
        ]
        if let measuredRate { members.append(.init("measuredRate", .number(measuredRate))) }
        if let openFile {
            members.append(
                .init(
                    "openFile",
                    .object([
                        .init("name", .string(openFile.name)), .init("stored", .integer(Int64(openFile.stored))),
                        .init("lost", .integer(Int64(openFile.lost))),
                    ])))
        }
        if let fault { members.append(.init("fault", .string(fault.description))) }
        return .object(members)
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
    /// One line of the status page.
    fileprivate func line(at now: Instant) -> String {
        "\(destination) \(itemClass): \(count) \(state.rawValue) (\(ByteText.of(bytes))), oldest \(max(.zero, (now - oldest).rounded).text) ago"
    }
}
