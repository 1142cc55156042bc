// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Requests to the study's server that a participant makes by a command: for the reward's code, which the server
/// gives once and the log keeps, and for what others answered (charts).
package struct ParticipantRequests: Sendable {
    private let database: StudyDatabase
    private let platforms: PlatformCatalog
    private let stamps: EventClock

    package init(database: StudyDatabase, platforms: PlatformCatalog, stamps: EventClock) {
        (self.database, self.platforms, self.stamps) = (database, platforms, stamps)
    }

    /// What there is to say of the reward, one line each; throws why there is no code yet.
    package func reward() async throws -> String {
        guard let state = try await database.latestEnrolment(), let enrolment = state.record.enrolment else {
            throw EnrolmentError.notEnrolled
        }
        let record = state.record
        guard let known = try await database.known(record, zone: stamps.zone) else {
            throw state.withdrawn == nil ? EnrolmentError.studyLost(record.lostStudy) : .notEnrolled
        }
        guard let terms = known.study.reward else { throw RewardRefusal("this study has no reward code") }
        let completed = try await database.submissions(of: record.id)
        if let code = try await database.serverFact(ServerFact.reward, of: record.id) {
            return text(code, terms, completed)
        }
        let day = stamps.zone.local(stamps.clock.now).date.daysSinceEpoch
        let left = terms.afterDays - (day - enrolment.local.date.daysSinceEpoch)
        guard left <= 0 else {
            throw RewardRefusal("the reward can be requested in \(left) \(left == 1 ? "day" : "days")")
        }
        try await queueRewardRequest(enrolment, record)
        guard let server = platforms[known.study.platform]?.server(over: StudyConnection()) else {
            throw RewardRefusal("this study has no server that gives out reward codes")
        }
        switch try await onThread("studyd-reward", { try server.reward(known) }) {
        case .code(let code): return try await keep(code, record, text(code, terms, completed))
        case .refused(let why): throw RewardRefusal(why)
        case .notYet(let missing): throw RewardRefusal(words(missing, terms, known.study, completed))
        }
    }

    /// What the server says of all participants, for charts; nil where it says nothing of them.
    package func chartData(of record: EnrolmentRecord) async throws -> [UInt8]? {
        guard let known = try await database.known(record, zone: stamps.zone),
            let server = platforms[known.study.platform]?.server(over: StudyConnection())
        else { return nil }
        return try await onThread("studyd-figures") { try server.publicChartData(known) }
    }

    /// Queues the event that the reward was asked for, where the platform has one.
    private func queueRewardRequest(_ enrolment: Enrolment, _ record: EnrolmentRecord) async throws {
        guard let loaded = try await database.loadedStudy(record) else { return }
        var encoder = EventEncoder(
            context: WireContext(
                study: loaded.study, enrolment: enrolment, zone: stamps.zone, postURL: record.postURL))
        let drafts = encoder.drafts(.rewardAsked, at: stamps.moment)
        guard !drafts.isEmpty else { return }
        try await database.append([], sending: drafts, at: stamps.stamp(record.id))
    }

    private func keep(_ code: String, _ record: EnrolmentRecord, _ text: String) async throws -> String {
        do {
            try await database.append(
                [.serverFact(name: ServerFact.reward, text: code)], sending: [], at: stamps.stamp(record.id))
        } catch {
            throw RewardRefusal("\(text)\nWrite the code down: it could not be stored on this device (\(error))")
        }
        return text
    }

    private func text(_ code: String, _ terms: RewardTerms, _ completed: [String: Int]) -> String {
        var lines = ["reward code   \(code)"]
        if let sum = terms.sum(completed), let amount = terms.amount {
            let number = JSONText.spelling(of: (sum * 100).rounded() / 100)
            lines.append("reward        " + [number, amount.currency].filter { !$0.isEmpty }.joined(separator: " "))
            if !amount.note.isEmpty { lines.append(amount.note) }
        }
        if !terms.instructions.isEmpty { lines.append(terms.instructions) }
        return lines.joined(separator: "\n")
    }

    private func words(
        _ missing: Set<String>, _ terms: RewardTerms, _ study: StudyProtocol, _ completed: [String: Int]
    ) -> String {
        let parts = terms.shares.filter { missing.contains($0.task) }.map { share in
            "\(study.task(share.task)?.name ?? share.task): \(completed[share.task] ?? 0) of \(share.least) done"
        }
        return "not yet" + (parts.isEmpty ? ", says the server" : ": " + parts.joined(separator: "; "))
            + "; the server counts what has arrived ('studyd status' says what is still to be sent)"
    }
}

/// Why there is no reward code (yet), in words.
struct RewardRefusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
