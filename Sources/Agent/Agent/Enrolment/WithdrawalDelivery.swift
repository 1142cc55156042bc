// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Waits for what is still to be sent of an enrolment that the participant has left.
///
/// schema's app tries once to send what it has and keeps the rest, as its `withdrawFromStudy` and
/// `uploadPendingData` show (schema-app/schema, 45fd178): no answer is lost by leaving. But its
/// rest would go to the next study's server; here each request keeps the address it was made for.
package struct WithdrawalDelivery: Sendable {
    /// How long leaving waits for the server; longer than an orderly server needs, and no longer
    /// than a person waits at the device.
    package static let patience = Duration.seconds(10)

    private let database: StudyDatabase
    private let clock: any StudyClock

    package init(database: StudyDatabase, clock: any StudyClock) {
        self.database = database
        self.clock = clock
    }

    /// Waits until nothing of the enrolment is unsent, `patience` at most, while an uploader runs.
    package func waitUntilDelivered(_ enrolment: EnrolmentRecord) async throws -> DeliverySummary {
        // An agent that is being stopped does not wait.
        try await clock.wait(atMost: Self.patience) {
            let isDelivered = try await isDelivered(enrolment)
            return isDelivered || StopRequest.current?.isGiven == true
        }
        return try await summary(of: enrolment)
    }

    /// True when nothing of the enrolment is unsent.
    package func isDelivered(_ enrolment: EnrolmentRecord) async throws -> Bool {
        try await database.unsent(of: enrolment.id).count == 0
    }

    package func summary(of enrolment: EnrolmentRecord) async throws -> DeliverySummary {
        let unsent = try await database.unsent(of: enrolment.id)
        var record = enrolment
        record.rules = nil
        let study = (try? await database.loadedStudy(record)) ?? nil
        return DeliverySummary(
            unsent: unsent.count, refused: unsent.refused, addresses: unsent.addresses.filter { !$0.isEmpty },
            hasStudyFile: study != nil)
    }
}

/// What is not sent yet of an enrolment that was left, and where it is to go.
package struct DeliverySummary: Sendable, Hashable, CustomStringConvertible {
    package let unsent: Int
    /// Items that the server did not take; they are on this device alone.
    let refused: Int
    package let addresses: [String]
    /// False = it is lost, and without it the server cannot be notified of the withdrawal.
    let hasStudyFile: Bool

    package var description: String {
        [unsentText, refusedText].compactMap(\.self).joined(separator: "; ")
            + (hasStudyFile ? "" : "; the study's file is lost, so its server is not told: tell the study's team")
    }

    private var refusedText: String? {
        guard refused > 0 else { return nil }
        return "\(Plural.of(refused, "item")) refused by the server and kept on this device alone: see 'studyd outbox'"
    }

    private var unsentText: String? {
        guard unsent > 0 else { return refused > 0 ? nil : "everything has been sent" }
        return "\(unsent) item\(unsent == 1 ? " is" : "s are") not sent yet; studyd keeps sending"
            + (addresses.isEmpty ? "" : " to " + addresses.joined(separator: ", "))
            + ", whatever study comes next"
    }
}
