// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Records the consent of `studyd update-study --consent` in place of the enrolment's, once the study's server has
/// taken it.
struct ConsentRenewal: Sendable {
    private let database: StudyDatabase
    private let servers: StudyServers
    private let enroller: Enroller
    private let stamps: EventClock

    init(_ database: StudyDatabase, _ servers: StudyServers, _ enroller: Enroller, _ stamps: EventClock) {
        (self.database, self.servers, self.enroller, self.stamps) = (database, servers, enroller, stamps)
    }

    /// Returns what to say of it.
    func record(_ consent: EnrolmentRequest.Consent) async throws -> String {
        let given = try ConsentRecord(parsing: Array(consent.text.utf8), file: consent.file)
        try enroller.refuseLater(given)
        guard let (state, server) = try await servers.latestEnrolment(),
            let known = try await servers.known(state, server)
        else {
            throw ControlFault("there is no enrolment with a server that asks for a consent; nothing was recorded")
        }
        try await onThread("studyd-consent") { try server.renew(given.asked, of: known) }
        let before = try await database.consent(of: state.record.id).recorded?.sharing ?? "NA"
        try await database.append(
            [
                .serverFact(name: ServerFact.consent, text: given.version),
                .consented(name: "consent", version: given.version, choice: given.choice(otherwise: before)),
            ], at: stamps.stamp(state.record.id))
        let isKept = given.asked.sharing.map { $0 == before } ?? true
        return "recorded: consent to version \(given.version)" + (isKept ? "" : Self.keptSharing)
    }

    /// No call of the servers changes the choice that was sent with the enrolment.
    private static let keptSharing =
        "; the server that takes the answers keeps the enrolment's choice of \"sharing\": tell the study team"
}
