// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// The study's file that a device had as it opened each run of an enrolment, by its log. A file is replaced
/// only while no run is open. `DeviceFolder` asks it which version a submission answers.
struct RunFiles {
    /// By the id of the run's submission.
    private let digests: [String: String]

    init(_ connection: Connection, of enrolment: String) throws {
        var (digest, digests): (String?, [String: String]) = (nil, [:])
        try connection.forEach(
            """
            SELECT kind, body FROM event WHERE enrolment = ? AND kind IN ('enrolled', 'studyUpdated', 'runOpened')
            ORDER BY sequence
            """, values: [enrolment] as [any DatabaseBindable]
        ) { row in
            let body = JSONText(parsing: try row.string(1))
            switch try row.string(0) {
            case "enrolled": digest = body?["enrolment"]?["fileDigest"]?.string
            case "studyUpdated": digest = body?["fileDigest"]?.string
            default:
                guard let task = body?["task"]?.string, let opening = body?["opening"]?.plain else { return }
                digests["\(enrolment)-\(task)-\(opening)"] = digest
            }
        }
        self.digests = digests
    }

    func digest(of submission: String) -> String? { digests[submission] }
}
