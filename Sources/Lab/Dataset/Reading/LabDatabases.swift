// SPDX-License-Identifier: Apache-2.0

/// The databases of a receiver's data folder that say who takes part and what came of them, each as it was when
/// it was opened. `LabFolder` opens them for an export, `LabAnswers` and `LabCensus.studies` for one question.
struct LabDatabases {
    let archive: ReadOnlyDatabase
    /// Nil where no device has reported.
    let fleet: ReadOnlyDatabase?
    /// Nil where no server of ESMira, or of FDA MyStudies, was played.
    let esmira: ReadOnlyDatabase?
    let mystudies: ReadOnlyDatabase?

    /// Nil where `directory` is no data folder. Reports are opened first, so that what arrived before these manifests
    /// is in all that are opened later.
    init?(in directory: String) throws {
        fleet = try ReadOnlyDatabase(directory + "/fleet.sqlite")
        guard let archive = try ReadOnlyDatabase(directory + "/receiver.sqlite") else { return nil }
        self.archive = archive
        esmira = try Self.played(directory + "/esmira.sqlite", "esmiraUser")
        mystudies = try Self.played(directory + "/mystudies.sqlite", "participant")
    }

    /// Nil also without that table: the receiver may have been killed before it made the server's tables.
    private static func played(_ path: String, _ table: String) throws -> ReadOnlyDatabase? {
        guard let database = try ReadOnlyDatabase(path), try database.connection.hasTable(table) else { return nil }
        return database
    }

    /// Whether another program has written since they were opened. Ends their read transactions.
    func hasChanged() -> Bool { [archive, fleet, esmira, mystudies].map { $0?.hasChanged() ?? false }.contains(true) }
}
