// SPDX-License-Identifier: Apache-2.0
import Base

/// What the rules beside a study decided, and what is needed to compute it again (`studyd prove`). `LabFolder`
/// and `DeviceFolder` read it from logs; `TrialExport` writes it.
package struct StudyTrial {
    /// A file of rules that an enrolment followed.
    package struct Rules: Sendable, Hashable {
        /// SHA-256, in hexadecimal.
        package let digest: String
        package let text: String
    }

    /// The seed from which all draws of one enrolment follow, past and future.
    package struct Seed: Sendable, Hashable {
        package let enrolment: String
        package let began: StudyTime
        /// The time zone's name in the tz database; nil = the offset of the enrolment for good.
        package let zone: String?
        /// 32 bytes in hexadecimal; nil while it is on the device alone.
        package let seed: String?
        /// The digest of the rules.
        package let rules: String
    }

    /// The part of a device's log from which its decisions are computed.
    package struct Log: Sendable, Hashable {
        package let enrolment: String
        /// Lines of JSON: the enrolment without its seed, and a line for each row.
        package let text: String
    }

    /// Names of features in any decision, sorted.
    package let features: [String]
    package let rules: [Rules]
    /// In the order in which they fell due.
    package var decisions: (Participant) throws -> [StudyDecision]
    package let seeds: (Participant) -> [Seed]
    /// Empty where a window was asked for: a proof needs every decision point.
    package var logs: (Participant) -> [Log]
}

extension StudyTrial {
    /// Of enrolments with rules; `rows` gives the log of each.
    init(_ enrolments: [DeviceEnrolmentRow], _ rules: [Rules], rows: @escaping (DeviceEnrolmentRow) -> [TrialRow]) {
        func own(_ person: Participant) -> [DeviceEnrolmentRow] { enrolments.filter { $0.participant == person.id } }
        self.init(
            features: enrolments.reduce(into: Set<String>()) {
                $0.formUnion(DeviceDecisions(rows($1), of: $1).features)
            }.sorted(),
            rules: rules, decisions: { own($0).flatMap { DeviceDecisions(rows($0), of: $0).all } },
            seeds: { own($0).map(Seed.init) },
            logs: { own($0).map { Log(enrolment: $0.id, text: $0.headLine + rows($0).map(\.line).joined()) } })
    }
}

extension StudyTrial.Seed {
    fileprivate init(_ row: DeviceEnrolmentRow) {
        self.init(enrolment: row.id, began: row.began, zone: row.zoneName, seed: row.seed, rules: row.rules ?? "")
    }
}

extension DeviceEnrolmentRow {
    private static let headMembers = [
        "id", "studyID", "participant", "instant", "local", "zone", "fileDigest", "rules",
    ]

    /// The first line of a `Log`, without the seed.
    fileprivate var headLine: String {
        let members = record.members.filter { Self.headMembers.contains($0.key) }
        return JSONText.object([.init("enrolled", .object(members))]).text + "\n"
    }
}
