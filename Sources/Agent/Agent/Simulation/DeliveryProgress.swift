// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Whether a device has nothing left to send: no answer and no file, no outcome and no manifest, and of
/// an enrolment with rules no record of a day.
package struct DeliveryProgress: Sendable {
    private let database: StudyDatabase
    private let memory: ReportMemoryFile
    private let zone: Zone

    /// Of the device in that state folder, which sends reports.
    package init(_ database: StudyDatabase, state: String, zone: Zone) {
        (self.database, memory, self.zone) = (database, ReportMemoryFile(in: state), zone)
    }

    /// Blocks on a small file. A refused item is not sent, and not waited for.
    package func isOver(at now: Instant) async throws -> Bool {
        let items = try await database.ledger().items
        guard items[.waiting] ?? 0 == 0, items[.sending] ?? 0 == 0 else { return false }
        let known = memory.read()
        guard known.lastReceived != nil, try await database.firstEnrolment(after: known.row) == nil else {
            return false
        }
        let plan = ManifestPlan(zone: zone, today: zone.local(now).date)
        let enrolments = try await database.enrolments()
        let ruled = enrolments.filter { $0.record.rules != nil }
        let records = try await database.nextDayRecord(for: TusDestination.labName)
        return plan.next(enrolments, after: known.manifest) == nil && plan.next(ruled, after: records) == nil
    }
}
