// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What is still to be sent of an enrolment that was left.
///
/// schema's app tries once to send what it has and keeps the rest, as its `withdrawFromStudy` and
/// `uploadPendingData` show (schema-app/schema, 45fd178): no answer is lost by leaving. But its
/// rest would go to the next study's server; here each request keeps the address it was made for.
package struct WithdrawalSummary: Sendable {
    /// How long leaving waits for the server; longer than an orderly server needs, and nobody
    /// stands before the device for ever.
    package static let patience = Duration.seconds(10)

    private let database: StudyDatabase
    private let clock: any StudyClock

    package init(database: StudyDatabase, clock: any StudyClock) {
        self.database = database
        self.clock = clock
    }

    /// Waits until all of it has arrived, `patience` at most, while somebody sends; says in a
    /// sentence what became of it.
    package func words(of enrolment: EnrolmentRecord) async throws -> String {
        // An agent that is told to stop does not wait.
        try await clock.wait(atMost: Self.patience) {
            let isOver = try await isOver(enrolment)
            return isOver || StopRequest.current?.isGiven == true
        }
        return try await sentence(of: enrolment)
    }

    /// True when nothing of it waits any more.
    package func isOver(_ enrolment: EnrolmentRecord) async throws -> Bool {
        try await database.unsent(of: enrolment.id).count == 0
    }

    /// What became of it so far.
    package func sentence(of enrolment: EnrolmentRecord) async throws -> String {
        let unsent = try await database.unsent(of: enrolment.id)
        guard unsent.count > 0 else { return "everything has been sent" }
        let addresses = unsent.addresses.filter { !$0.isEmpty }
        return "\(unsent.count) item\(unsent.count == 1 ? " is" : "s are") not sent yet; studyd keeps sending"
            + (addresses.isEmpty ? "" : " to " + addresses.joined(separator: ", "))
            + ", whatever study comes next"
    }
}
