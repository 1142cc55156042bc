// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Whether a participant's answers come to this lab, and not to the platform's server alone: only then is one that is
/// not here a hole. `LabFleet` asks for an export, the receiver's `FleetRoutes` for the page and `/api/missing`.
package struct LabAnswers {
    private let databases: LabDatabases

    init(_ databases: LabDatabases) { self.databases = databases }

    /// Of the data folder of a receiver that may be running; nil for any other folder.
    package init?(in directory: String) throws {
        guard let databases = try LabDatabases(in: directory) else { return nil }
        self.init(databases)
    }

    package func comeHere(of participant: String, in study: String) throws -> Bool {
        try isInESMira(participant, study) || isInMyStudies(participant, study) || hasPosted(participant, study)
            || hasSentArchive(participant, study)
    }

    private func isInESMira(_ participant: String, _ study: String) throws -> Bool {
        guard let esmira = databases.esmira, let number = Int64(study) else { return false }
        let sql = "SELECT 1 FROM esmiraUser WHERE study = ? AND user = ?"
        return try esmira.connection.hasRow(sql, number, participant)
    }

    /// The SHA-256 of each run that is here; nil for one who never enrolled at FDA MyStudies as played here.
    package func runDigests(of participant: String, in study: String) throws -> Set<String>? {
        guard let mystudies = databases.mystudies else { return nil }
        let digests = try mystudies.connection.rows(
            """
            SELECT body FROM participant LEFT JOIN run ON run.participant = participant.id
            WHERE study = ? AND short = ?
            """, study, MyStudiesShortName.of(participant)
        ) { row in try row.bytesOrNil(0).map { try Digest(of: $0).description } }
        return digests.isEmpty ? nil : Set(digests.compactMap(\.self))
    }

    /// Who left FDA MyStudies and had the runs deleted has none that could be missed.
    private func isInMyStudies(_ participant: String, _ study: String) throws -> Bool {
        try databases.mystudies?.connection.hasRow(
            """
            SELECT 1 FROM participant WHERE study = ? AND short = ?
            AND (withdrawn IS NULL OR id IN (SELECT participant FROM run))
            """, study, MyStudiesShortName.of(participant)) ?? false
    }

    /// As a post of schema or momenTUM.
    private func hasPosted(_ participant: String, _ study: String) throws -> Bool {
        try databases.archive.connection.hasRow(
            """
            SELECT 1 FROM record WHERE user = ? AND kind <> 'log' AND EXISTS (
                SELECT 1 FROM json_each(fields) WHERE json_extract(value, '$[0]') = 'study_id'
                AND json_extract(value, '$[1]') = ?)
            """, participant, study)
    }

    /// An archive of SageResearch names no study; the manifest that has it does.
    private func hasSentArchive(_ participant: String, _ study: String) throws -> Bool {
        let archives = try databases.archive.connection.rows("SELECT digest FROM sage WHERE user = ?", participant) {
            try $0.string(0)
        }
        guard !archives.isEmpty else { return false }
        let named = try databases.fleet?.connection.rows(
            "SELECT sha256, device FROM produced WHERE participant = ? AND sha256 IS NOT NULL", participant
        ) { (sha256: try $0.string(0), study: FleetSource(try $0.string(1)).study) }
        let others = (named ?? []).filter { $0.study != study }.map(\.sha256)
        return !Set(archives).isSubset(of: others)
    }
}
