// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// How the prompts of the latest days went: `DeliveryRunner` adds it to every upload to the lab's receiver, which reads
/// it as `ComplianceDays`.
///
///     Studyd-Compliance: <day>=<due>/<answered>/<late>/<missed> <day>=…
///
/// A day is that of the device's wall clock when the prompt was due. `due` counts all prompts since the
/// enrolment that were given or should have been; `late` those answered more than a quarter of an hour after
/// they were due (they are among `answered`); `missed` those that ended without an answer; the rest is open.
/// Prompts that were over before the enrolment do not count, as there was no participant yet; nor do notices,
/// which ask nothing, and those that a rule raised, as their number would say what was drawn.
package struct ComplianceHeader: Sendable, Hashable {
    /// HTTP header field.
    package static let field = "Studyd-Compliance"
    /// How many days are reported, today included.
    static let days = 14
    /// An answer is late this many nanoseconds after it was due.
    static let lateAfter: Int64 = 900_000_000_000

    /// As it goes over the wire.
    package let text: String

    /// Reads it from the store; nil where nothing was due. `offset` is today's, in seconds east of UTC.
    init?(of enrolment: String, at now: Instant, offset: Int, in connection: Connection) throws {
        let today = (now.nanoseconds + Int64(offset) * 1_000_000_000) / 86_400_000_000_000
        let days = try connection.rows(
            """
            SELECT json_extract(record, '$.local[0]') AS day, count(*), sum(coalesce(outcome = 'completed', 0)),
                sum(coalesce(outcome = 'completed' AND ended - due > ?1, 0)),
                sum(coalesce(outcome <> 'completed', 0))
            FROM occurrence WHERE enrolment = ?2 AND instr(id, '/rule.') = 0
                AND json_extract(record, '$.isNotice') IS NULL AND (prompted IS NOT NULL OR outcome LIKE 'missed%')
                AND due BETWEEN ?6 AND ?3 AND json_extract(record, '$.local[0]') > ?4 AND coalesce(outcome, '') <> ?5
            GROUP BY day ORDER BY day
            """, ComplianceHeader.lateAfter, enrolment, now.nanoseconds, today - Int64(ComplianceHeader.days),
            Outcome.missed(.beforeEnrolment).stored,
            // No zone is further than a day away, and the others need not be read.
            now.nanoseconds - Int64(ComplianceHeader.days + 1) * 86_400_000_000_000
        ) { row in
            try "\(LocalDate(daysSinceEpoch: Int(row.int(0))))=\(row.int(1))/\(row.int(2))/\(row.int(3))/\(row.int(4))"
        }
        guard !days.isEmpty else { return nil }
        text = days.joined(separator: " ")
    }
}
