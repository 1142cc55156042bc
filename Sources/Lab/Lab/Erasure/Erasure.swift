// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Glibc
import SystemKit

/// What a lab's folder holds of one participant, and its deletion by `study-receiver erase`: files go before
/// the rows that name them, so that what a crash leaves is found by the next run.
struct Erasure {
    /// A database or a folder, and what is there.
    struct Place: Sendable, Hashable {
        let name: String
        let what: String
    }

    private let directory: String
    private let participant: String
    let stores: [ParticipantRows]

    private static let own = [
        Archive.participantRows, FleetArchive.participantRows, FleetWatch.participantRows, LogHeads.participantRows,
        DeviceKeys.participantRows, LabRegister.participantRows,
    ]
    private static let largestLog = 64 << 20

    /// `more` are the databases of stand-ins.
    init(of participant: String, in directory: String, _ more: [ParticipantRows]) {
        (self.participant, self.directory, stores) = (participant, directory, Self.own + more)
    }

    // MARK: What is there

    /// Changes nothing.
    func survey() throws -> [Place] {
        let databases = try stores.compactMap { store -> Place? in
            let counts = try open(store).map { try store.counts(of: participant, in: $0) }
            guard let counts, !counts.isEmpty else { return nil }
            return Place(name: store.file, what: counts.joined(separator: ", "))
        }
        let folders = Dictionary(grouping: try files(), by: Self.folder)
        return databases
            + folders.sorted { $0.key < $1.key }.map { folder, paths in
                let bytes = paths.reduce(0) { $0 + (size($1) ?? 0) }
                return Place(name: folder, what: "\(Plural.of(paths.count, "file")), \(ByteText.of(bytes))")
            }
    }

    /// When the participant was erased before; nil = never.
    func erasedAt() throws -> Instant? {
        try open(LabRegister.participantRows).flatMap { try LabRegister.erasedAt(of: participant, in: $0) }
    }

    /// All participants of whom there is something.
    func names() throws -> [String] { try names(of: stores).subtracting([""]).sorted() }

    private func names(of stores: [ParticipantRows]) throws -> Set<String> {
        var names: Set<String> = []
        for store in stores {
            guard let connection = try open(store) else { continue }
            names.formUnion(try store.names(in: connection))
        }
        return names
    }

    /// Accounts that no other database has as a participant's name, so nothing here ties them to one.
    func accounts() throws -> [String] {
        let known = try names(of: stores.filter { !$0.isOfAccounts })
        return try names(of: stores.filter(\.isOfAccounts)).subtracting(known).subtracting(["", participant]).sorted()
    }

    /// Nil where there is none. Throws where another version of this program made it, as the server does.
    private func open(
        _ store: ParticipantRows, _ location: (String) -> Connection.Location = Connection.Location.readOnly
    ) throws -> Connection? {
        let path = "\(directory)/\(store.file)"
        guard access(path, F_OK) == 0 else { return nil }
        let connection = try Connection(location(path))
        return try Schema.has(store.version, connection) ? connection : nil
    }

    /// Paths in the folder, of what is there.
    private func files() throws -> [String] {
        let named = try stores.flatMap { store in
            try open(store).map { try store.files($0, participant) } ?? []
        }
        return Set(named + manifests + logs).filter { size($0) != nil }.sorted()
    }

    private var manifests: [String] {
        list("manifests").filter { path in
            let bytes = try? BoundedFile.read("\(directory)/\(path)", limit: 2 * DeviceManifest.bodyLimit)
            return bytes.map { isTheirs(String(decoding: $0, as: UTF8.self)) } ?? false
        }
    }

    /// Their first line says whose they are.
    private var logs: [String] {
        list("logs").filter { path in
            let content = try? GzipFile.contents(File("\(directory)/\(path)", .read), limit: Self.largestLog)
            return content.map { isTheirs(String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)) } ?? false
        }
    }

    private func list(_ folder: String) -> [String] {
        FolderListing.readable("\(directory)/\(folder)").map { "\(folder)/\($0)" }
    }

    /// Byte by byte: SQLite tells names apart that Swift, by Unicode's equivalence, takes for one.
    private func isTheirs(_ json: String) -> Bool {
        guard let value = try? JSONReader.value(json, depthLimit: 12) else {
            // A power cut may have left the beginning alone.
            return json.contains("\"participant\":" + JSONValue.string(participant).text)
        }
        return value["participant"]?.string.map { $0.utf8.elementsEqual(participant.utf8) } ?? false
    }

    /// Nil for what is not there.
    private func size(_ path: String) -> Int64? {
        var status = stat()
        return lstat("\(directory)/\(path)", &status) == 0 ? Int64(status.st_size) : nil
    }

    private static func folder(of path: String) -> String { String(path.prefix { $0 != "/" }) + "/" }

    // MARK: Deletion

    /// What a power cut left of logs and uploads: nothing says whose it is.
    private func ownerless() throws -> [String] {
        let uploads = try open(Archive.participantRows).map { connection in
            try connection.rows("SELECT id FROM upload") { "partial/\(try $0.string(0))" }
        }
        let known = Set((uploads ?? []).flatMap { [$0, $0 + ".restored"] })
        return list("logs").filter { $0.hasSuffix(".unchecked") } + list("partial").filter { !known.contains($0) }
    }

    /// Returns when they are gone from the disk.
    func deleteFiles() throws {
        let files = try files() + ownerless()
        for path in files {
            FolderRemoval.remove("\(directory)/\(path)")
            guard size(path) == nil else {
                throw FileError(
                    path: "\(directory)/\(path)", message: "cannot be deleted",
                    remedy: "run this as the user of study-receiver")
            }
        }
        for folder in Set(files.map(Self.folder)) { try AtomicFile.sync("\(directory)/\(folder)") }
        // Downloads contain the same data; the server removes the folder when it starts, too.
        FolderRemoval.remove("\(directory)/downloads")
    }

    func deleteRows(of store: ParticipantRows) throws {
        guard let connection = try open(store, Connection.Location.file) else { return }
        try store.delete(of: participant, in: connection)
    }

    /// What was deleted stays in a database's write-ahead log until that is emptied; one that another program is
    /// reading stays as it is.
    func emptyLogs() {
        for store in stores { try? open(store, Connection.Location.file)?.emptyLog() }
    }
}
