// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// Gathers what is known of participants, for each study that their devices report of, in as many steps for
/// five hundred as for one. `PageRoutes` and `LabTables` call `gather`.
struct Participants: Sendable {
    let archive: Archive
    let fleet: FleetRoutes
    let heads: LogHeads
    let register: LabRegister
    let blinding: LabBlinding

    struct Gathered: Sendable {
        let rows: [ParticipantRow]
        let view: FleetWatch.View
        /// What is neither here nor explained, by device.
        let missing: [String: Int]
        let daysWithoutManifest: Int

        var studies: [String] { Set(view.present.map(\.report.study)).union(rows.compactMap(\.study)).sorted() }
    }

    static let most = 10_000

    /// `days` is how many of the latest days of prompts are looked at; nil = all.
    func gather(days: Int?, at now: Instant) async throws -> Gathered {
        let view = try await fleet.watch.view(at: now)
        let holes = try await fleet.holes()
        let missing = Dictionary(grouping: holes.items, by: \.item.device).mapValues(\.count)
        let (summaries, coverages) = (try await archive.devices(limit: Self.most), try await archive.coverages(at: now))
        let (notes, refusals) = (try await register.notes(), try await archive.refusalCounts())
        let alarms = Dictionary(grouping: try await heads.alarms(), by: \.user).mapValues(\.count)
        let uploaded = try await heads.compliances()
        let reporting = Dictionary(grouping: view.present, by: \.name)
        let all = Dictionary(grouping: view.devices, by: \.name)
        let known = Dictionary(summaries.map { ($0.user, $0) }) { first, _ in first }
        let studies = Dictionary(grouping: reporting.keys, by: \.participant).mapValues { $0.map(\.study).sorted() }
        let sent = try await archive.studies(of: known.keys.filter { studies[$0] == nil })
        let ruled = try await blinding.ruled(Set(known.keys))
        func row(_ participant: String, _ study: String?) -> ParticipantRow {
            let name = FleetDevice.Name(study: study ?? "", participant: participant)
            let device = reporting[name]?.max { $0.received < $1.received }
            // A replaced device has at most a request for deletion (`FleetRules`).
            let found = (all[name] ?? []).flatMap { view.attention[$0.id] ?? [] }
            // What came without a study's name cannot be divided among several.
            let isOnly = (studies[participant]?.count ?? 1) == 1
            return ParticipantRow(
                participant: participant, note: notes[participant] ?? .none, summary: isOnly ? known[participant] : nil,
                device: device, study: study, attention: found.sorted { $0.kind.rank < $1.kind.rank },
                coverage: coverages[participant].flatMap { isOnly || $0.study == study ? $0 : nil },
                days: Self.latest(Self.days(all[name] ?? [], isOnly ? uploaded[participant] : nil), days, at: now),
                faults: (refusals[participant] ?? 0) + (alarms[participant] ?? 0),
                missing: device.map { missing[$0.id] ?? 0 }, isBlinded: ruled.contains(participant))
        }
        let rows = Set(known.keys).union(studies.keys).sorted().flatMap { participant -> [ParticipantRow] in
            studies[participant].map { $0.map { row(participant, $0) } } ?? [row(participant, sent[participant])]
        }
        return Gathered(rows: rows, view: view, missing: missing, daysWithoutManifest: holes.days.count)
    }

    /// The days that a participant's devices have reported; where none reports, those of `figures`, which came
    /// with uploads (`Studyd-Compliance`) and have no reasons.
    static func days(_ devices: [FleetDevice], _ figures: String?) -> [PromptDay] {
        let reported: [LocalDate: PromptDay] = devices.flatMap(\.promptDays).reduce(into: [:]) { days, day in
            days[day.day] = days[day.day].map { $0 + day } ?? day
        }
        guard reported.isEmpty else { return reported.values.sorted { $0.day < $1.day } }
        return (figures.flatMap(ComplianceDays.init)?.days ?? []).map { day in
            let unanswered = day.missed > 0 ? ["not answered": day.missed] : [:]
            return PromptDay(day: day.date, answered: day.answered, late: day.late, unanswered: unanswered)
        }
    }

    /// The days since `count` - 1 days before today in UTC: a day that has already begun east of it is included.
    static func latest(_ days: [PromptDay], _ count: Int?, at now: Instant) -> [PromptDay] {
        guard let count else { return days }
        let first = LocalDateTime(now, offset: 0).date.adding(days: 1 - count)
        return days.filter { $0.day >= first }
    }
}
