// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Whether a device that `studyd-tools make-study` delivers has nothing left to send: no answer and no file, no
/// outcome and no manifest, and of an enrolment with rules no record of a day.
package struct DeliveryProgress: Sendable {
    private let database: StudyDatabase
    private let memory: ReportMemoryFile
    private let zone: Zone

    /// Of the device in that state folder. It has to send reports: without one that was received,
    /// `isOver` stays false.
    package init(_ database: StudyDatabase, state: String, zone: Zone) {
        (self.database, memory, self.zone) = (database, ReportMemoryFile(in: state), zone)
    }

    /// Blocks on a small file. A refused item is not sent, and not waited for.
    package func isOver(at now: Instant) async throws -> Bool {
        let items = try await database.counts().items
        guard items[.waiting] ?? 0 == 0, items[.sending] ?? 0 == 0 else { return false }
        let reported = memory.read()
        guard reported.lastReceived != nil,
            try await database.enrolmentOfFirstOutcome(after: reported.row) == nil
        else { return false }
        let plan = ManifestPlan(zone: zone, today: zone.local(now).date)
        let enrolments = try await database.enrolments()
        let ruled = enrolments.filter { $0.record.rules != nil }
        let dayRecord = try await database.nextDayRecord(for: TusDestination.labName)
        return plan.next(enrolments, after: reported.manifest) == nil && plan.next(ruled, after: dayRecord) == nil
    }
}
