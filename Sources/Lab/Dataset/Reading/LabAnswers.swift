// SPDX-License-Identifier: Apache-2.0
import Database

/// Whether a participant's answers come to this lab, and not to the platform's server alone: only then is one that is
/// not here a hole. `LabFleet` asks for an export, the receiver's `FleetRoutes` for the page and `/api/missing`.
package struct LabAnswers {
    private let archive: ReadOnlyDatabase
    private let fleet: ReadOnlyDatabase
    private let esmira: ReadOnlyDatabase?
    private let mystudies: ReadOnlyDatabase?

    init(
        archive: ReadOnlyDatabase, fleet: ReadOnlyDatabase, esmira: ReadOnlyDatabase?, mystudies: ReadOnlyDatabase?
    ) { (self.archive, self.fleet, self.esmira, self.mystudies) = (archive, fleet, esmira, mystudies) }

    /// Of the data folder of a receiver that may be running; nil where no device has reported.
    package init?(in directory: String) throws {
        guard let archive = try ReadOnlyDatabase(directory + "/receiver.sqlite"),
            let fleet = try ReadOnlyDatabase(directory + "/fleet.sqlite")
        else { return nil }
        self.init(
            archive: archive, fleet: fleet, esmira: try ReadOnlyDatabase(directory + "/esmira.sqlite"),
            mystudies: try ReadOnlyDatabase(directory + "/mystudies.sqlite"))
    }

    package func comeHere(of participant: String, in study: String) throws -> Bool {
        try isInESMira(participant, study) || isInMyStudies(participant, study) || hasPosted(participant, study)
            || hasSentArchive(participant, study)
    }

    private func isInESMira(_ participant: String, _ study: String) throws -> Bool {
        guard let esmira, let number = Int64(study) else { return false }
        let sql = "SELECT 1 FROM esmiraUser WHERE study = ? AND user = ?"
        return try esmira.connection.hasRow(sql, number, participant)
    }

    /// Who left FDA MyStudies and had the runs deleted has none that could be missed.
    private func isInMyStudies(_ participant: String, _ study: String) throws -> Bool {
        try mystudies?.connection.hasRow(
            """
            SELECT 1 FROM participant WHERE study = ? AND short = ?
            AND (withdrawn IS NULL OR id IN (SELECT participant FROM run))
            """, study, MyStudiesShortName.of(participant)) ?? false
    }

    /// As a post of schema or momenTUM.
    private func hasPosted(_ participant: String, _ study: String) throws -> Bool {
        try archive.connection.hasRow(
            """
            SELECT 1 FROM record WHERE user = ? AND kind <> 'log' AND EXISTS (
                SELECT 1 FROM json_each(fields) WHERE json_extract(value, '$[0]') = 'study_id'
                AND json_extract(value, '$[1]') = ?)
            """, participant, study)
    }

    /// An archive of SageResearch names no study; the manifest that has it does.
    private func hasSentArchive(_ participant: String, _ study: String) throws -> Bool {
        let archives = try archive.connection.rows("SELECT digest FROM sage WHERE user = ?", participant) {
            try $0.string(0)
        }
        guard !archives.isEmpty else { return false }
        let others = try fleet.connection.rows(
            "SELECT sha256, device FROM produced WHERE participant = ? AND sha256 IS NOT NULL", participant
        ) { (sha256: try $0.string(0), study: FleetKey(try $0.string(1)).study) }.filter { $0.study != study }
        return !Set(archives).isSubset(of: others.map(\.sha256))
    }
}
