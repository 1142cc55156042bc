// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Waits for what is still to be sent of an enrolment that the participant has left: `studyd withdraw` does so, in
/// the agent (`ControlService`) or without one.
///
/// schema's app tries once to send what it has and keeps the rest, as its `withdrawFromStudy` and
/// `uploadPendingData` show (schema-app/schema, 45fd178): no answer is lost by leaving. But its
/// rest would go to the next study's server; here each request keeps the address it was made for.
package struct WithdrawalDelivery: Sendable {
    /// How long leaving waits for the server; longer than an orderly server needs, and no longer
    /// than a person waits at the device.
    package static let timeout = Duration.seconds(10)

    private let database: StudyDatabase
    private let clock: any StudyClock

    package init(database: StudyDatabase, clock: any StudyClock) {
        self.database = database
        self.clock = clock
    }

    /// Waits until nothing of the enrolment is unsent, `timeout` at most, while an uploader runs.
    package func waitUntilDelivered(_ enrolment: EnrolmentRecord) async throws -> DeliverySummary {
        // An agent that is being stopped does not wait.
        try await clock.wait(atMost: Self.timeout) {
            let isDelivered = try await isDelivered(enrolment)
            return isDelivered || StopRequest.current?.isGiven == true
        }
        return try await summary(of: enrolment)
    }

    package func isDelivered(_ enrolment: EnrolmentRecord) async throws -> Bool {
        try await database.unsent(of: enrolment.id).count == 0
    }

    package func summary(of enrolment: EnrolmentRecord) async throws -> DeliverySummary {
        let unsent = try await database.unsent(of: enrolment.id)
        return DeliverySummary(
            unsent: unsent.count, refused: unsent.refused, addresses: unsent.addresses.filter { !$0.isEmpty },
            notice: await notice(of: enrolment),
            erasesAnswers: try await database.hasAskedForDeletion(of: enrolment.id),
            deletedUnsent: try await database.hasDeletedUnsent(of: enrolment.id))
    }

    private func notice(of enrolment: EnrolmentRecord) async -> DeliverySummary.Notice {
        var record = enrolment
        // The request does not depend on the rules, whose file may be lost.
        record.rules = nil
        guard let study = ((try? await database.loadedStudy(record)) ?? nil)?.study, let taker = record.enrolment
        else { return .studyLost }
        let context = WireContext(study: study, enrolment: taker, zone: .utc, postURL: record.postURL)
        let requests = study.writer.requests(for: .withdrawn(deletesData: false), at: clock.now, in: context)
        return requests.isEmpty ? .none : .sent
    }
}

/// What is not sent yet of an enrolment that was left, and where it is to go; `studyd withdraw` prints it as
/// `description`.
package struct DeliverySummary: Sendable, Hashable, CustomStringConvertible {
    /// How the study's server learns of the withdrawal.
    enum Notice: Sendable, Hashable {
        /// A request tells it, which is sent or waits to be.
        case sent
        /// The platform has no such request.
        case none
        /// Without the study's file, or where it cannot be read, it cannot be told.
        case studyLost
    }

    package let unsent: Int
    /// Items that the server refused; they are on this device alone, and not among `unsent`.
    let refused: Int
    package let addresses: [String]
    let notice: Notice
    /// The answers were erased here, and are to be deleted at the server.
    let erasesAnswers: Bool
    /// What was not sent when the participant left was deleted, but for the notice of it.
    var deletedUnsent = false

    package var description: String {
        [erasureText, deletionText, unsentText, refusedText, noticeText].compactMap(\.self).joined(separator: "; ")
    }

    private var erasureText: String? {
        guard erasesAnswers else { return nil }
        guard notice == .sent, refused == 0 else { return "answers deleted here" }
        return "answers deleted here, and the server \(unsent == 0 ? "was" : "is being") asked to delete them"
    }

    private var deletionText: String? {
        deletedUnsent && !erasesAnswers ? "what was not sent was deleted" : nil
    }

    private var noticeText: String? {
        switch notice {
        case .sent: nil
        case .none: "no notice of leaving is sent in this study: tell the study's team"
        case .studyLost:
            "the study's file is lost or cannot be read, so its server is not told: tell the study's team"
        }
    }

    private var refusedText: String? {
        guard refused > 0 else { return nil }
        return "\(Plural.of(refused, "item")) refused by the server and kept on this device alone: see 'studyd outbox'"
    }

    private var unsentText: String? {
        guard unsent > 0 else {
            return refused > 0 || erasesAnswers || deletedUnsent ? nil : "everything has been sent"
        }
        return "\(unsent) item\(unsent == 1 ? " is" : "s are") not sent yet; studyd keeps sending"
            + (addresses.isEmpty ? "" : " to " + addresses.joined(separator: ", "))
            + ", whatever study comes next"
    }
}
