// SPDX-License-Identifier: Apache-2.0
import Base

/// How long a device was worn on a day of the wall clock, of the time that was recorded. Seconds. `TableSet`
/// makes the rows of `wear.csv` of it.
package struct WearDay: Sendable, Hashable {
    package let enrolment: String?
    package let measure: String?
    package let day: LocalDate
    package private(set) var (worn, notWorn, unknown) = (0.0, 0.0, 0.0)

    /// By day, enrolment and the accelerometer's name.
    package static func days(of rows: [EpochRow]) -> [WearDay] {
        var days: [[String]: WearDay] = [:]
        for row in rows where row.measure != nil {
            let key = [row.time.day.description, row.enrolment ?? "", row.measure ?? ""]
            days[key, default: WearDay(enrolment: row.enrolment, measure: row.measure, day: row.time.day)].add(row)
        }
        return days.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    private init(enrolment: String?, measure: String?, day: LocalDate) {
        (self.enrolment, self.measure, self.day) = (enrolment, measure, day)
    }

    private mutating func add(_ row: EpochRow) {
        let seconds = row.coverage * 60
        switch row.isWorn {
        case true: worn += seconds
        case false: notWorn += seconds
        case nil: unknown += seconds
        }
    }
}
