// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// An enrolment as a device keeps it: `DeviceFolder` reads it from the device's database, `LabLogs` from the
/// segments of a log.
struct DeviceEnrolmentRow {
    /// The JSON as the device wrote it, from which decisions can be computed again.
    let record: JSONText
    let id: String
    let study: String
    let participant: String
    /// Nil while only the device has it.
    var seed: String?
    /// The digest of the rules beside its study; nil = there are none.
    let rules: String?
    let zoneName: String?
    private let isOfSage: Bool
    private let zone: Zone?
    /// The zones of later, in the order of the log, and since when they were the device's.
    private var journeys: [(since: Instant, zone: Zone)] = []
    private let instant: Instant
    private let firstDay: Int?

    init?(_ text: String) { self.init(JSONText(parsing: text)) }

    init?(_ record: JSONText?) {
        guard let record, let id = record["id"]?.string,
            let study = record["studyID"]?.string, let participant = record["participant"]?.string
        else { return nil }
        (self.record, self.id, self.study, self.participant) = (record, id, study, participant)
        instant = Instant(nanoseconds: record["instant"].flatMap { Int64($0.plain) } ?? 0)
        let local = record["local"]?.array.compactMap { Int64($0.plain) } ?? []
        (seed, rules, zoneName) = (record["seed"]?.string, record["rules"]?.string, record["zone"]?.string)
        isOfSage = record["platform"]?.string == "sage"
        firstDay = local.first.map { Int($0) }
        let named = record["zone"]?.string.flatMap { try? Zone.load($0) }
        // Without a zone's name: by how much the local time differs from `instant`.
        zone = named ?? (local.count == 2 ? Self.zone(local[0], local[1], at: instant) : nil)
    }

    /// `day` since 1970-01-01, `time` in nanoseconds of that day.
    private static func zone(_ day: Int64, _ time: Int64, at instant: Instant) -> Zone {
        let shown = LocalDateTime(LocalDate(daysSinceEpoch: Int(day)), .midnight).instant(offset: 0)
        return Zone(offsetOf: LocalDateTime(shown + .nanoseconds(time), offset: 0), at: instant)
    }

    /// Takes its journeys from its rows, which are in the order of the log.
    mutating func follow(_ rows: [TrialRow]) {
        journeys = []
        for (index, row) in rows.enumerated() where row.kind == "zoneChanged" {
            guard let name = row.body["to"]?.string, let zoneThen = try? Zone.load(name) else { continue }
            // A device writes the row as its agent starts, when its clock may not be set yet. What is known of the clock
            // in that boot dates it; without that, it is not from before any earlier row.
            let anchor = rows[index...].lazy.filter { $0.boot == row.boot }.compactMap(\.anchor).first
            let since = anchor.map { $0.wall &- ($0.monotonic &- row.monotonic) } ?? rows[...index].map(\.wall).max()
            journeys.append((Instant(nanoseconds: since ?? row.wall), zoneThen))
        }
    }

    /// Nil where it is not named.
    var lastZone: String? { journeys.last?.zone.identifier ?? zoneName }

    var began: StudyTime { time(instant) }

    /// The name of a question in a dataset: sections of SageResearch are joined by `_`, as `SageResult` does.
    func item(_ key: String) -> String { isOfSage ? key.replacing("/", with: "_") : key }

    /// The day of the study; 1 is that of the enrolment.
    func day(of time: StudyTime) -> Int? { firstDay.map { time.day.daysSinceEpoch - $0 + 1 } }

    func time(_ nanoseconds: Int64) -> StudyTime { time(Instant(nanoseconds: nanoseconds)) }
    func timeOrNil(_ nanoseconds: Int64?) -> StudyTime? { nanoseconds.map { time($0) } }
    private func time(_ instant: Instant) -> StudyTime {
        let zoneThen = journeys.last { $0.since <= instant }?.zone ?? zone
        return StudyTime(instant, offset: zoneThen.map { $0.period(at: instant).offset })
    }
}
