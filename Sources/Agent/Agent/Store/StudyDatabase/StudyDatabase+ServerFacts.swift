// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// What a study's server said, as it stands in the log.
package struct ServerFactView: Sendable, Hashable {
    /// A message as the server wrote it, a status word, the name of a text.
    package let text: String
    /// Wall clock of the device when it was noted.
    package let noted: Instant

    package init(text: String, noted: Instant) {
        self.text = text
        self.noted = noted
    }
}

extension StudyDatabase {
    /// Everything the server said under that name, the latest `limit`, oldest first.
    package func serverFacts(_ name: String, of enrolment: String, limit: Int = 1000) throws -> [ServerFactView] {
        try connection.rows(
            "SELECT text, wall FROM server_fact WHERE enrolment = ? AND name = ? ORDER BY sequence DESC LIMIT ?",
            enrolment, name, limit
        ) { ServerFactView(text: try $0.string(0), noted: Instant(nanoseconds: try $0.int(1))) }.reversed()
    }

    /// Whether somebody on this device has taken part in that study and left it.
    package func hasLeft(study: String) throws -> Bool {
        try connection.rows("SELECT record FROM enrolment WHERE withdrawn IS NOT NULL") { row in
            try StoredJSON.value(EnrolmentRecord.self, from: row.string(0)).studyID
        }.contains(study)
    }

    /// What it said last under that name; nil where it said nothing.
    package func serverFact(_ name: String, of enrolment: String) throws -> String? {
        try serverFacts(name, of: enrolment, limit: 1).last?.text
    }
}
