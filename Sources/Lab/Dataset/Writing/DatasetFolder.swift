// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The folder that `study-receiver export` writes a dataset to, in whatever format. A file that is already
/// there and the same stays; what an earlier export wrote and this one does not is removed; nothing else is
/// touched. An export writes its files, calls `save` now and then, and `finish` at the end.
package final class DatasetFolder {
    /// A file of the dataset as it lies there.
    package struct Entry: Sendable, Hashable {
        package let bytes: Int
        package let sha256: String

        /// It was changed by something else, so that an export writes it again.
        fileprivate static func changed(_ bytes: Int) -> Entry { Entry(bytes: bytes, sha256: changed) }
        fileprivate var isChanged: Bool { sha256 == Self.changed }
        private static let changed = "changed"
    }

    /// Seconds and nanoseconds.
    private typealias Time = (Int, Int)

    package let path: String
    private var earlier: [String: Entry] = [:]
    /// When the earlier export wrote its list, after all its files; nil = there was none.
    private let listed: Time?
    private var written: [String: Entry] = [:]
    /// Lines of what was written since the list was saved.
    private var unsaved = ""
    /// Gets each file of this run when it is whole: its name, and where it lies.
    private let finished: (_ name: String, _ path: String) throws -> Void
    /// Bytes of files that were made or replaced in this run.
    package private(set) var newBytes: Int64 = 0
    /// The list of the export's files, a line for each: `sha256 bytes path`.
    private static let list = ".studyd-dataset"
    private static let temporary = ".studyd-dataset.tmp"

    /// Opens the folder, or makes it. Throws for one with files that no export wrote. `finished` gets
    /// the name and the path of each file that is whole, and may take it away.
    package init(
        _ path: String, finished: @escaping (_ name: String, _ path: String) throws -> Void = { _, _ in }
    ) throws {
        (self.path, self.finished) = (path, finished)
        try File.makeFolder(path)
        listed = Self.status("\(path)/\(Self.list)")?.changed
        if let bytes = try? BoundedFile.read("\(path)/\(Self.list)", limit: 256 << 20) {
            earlier = Self.entries(String(decoding: bytes, as: UTF8.self))
            // Once this export saves its list, that is newer than what was changed before.
            let changed = earlier.filter { !$0.value.isChanged && unchanged($0.key) == nil }
            for (name, entry) in changed { earlier[name] = .changed(entry.bytes) }
            // A power cut may have left half a line, which the next would be a part of.
            if bytes.last != 0x0A || !changed.isEmpty { try writeList() }
        } else if !(try FolderListing.names(in: path, most: 1)).isEmpty {
            throw FileError(
                path: path, message: "is not empty, and no dataset was written there",
                remedy: "use a folder that is new or empty, or one of an earlier export")
        } else {
            // From now on the folder is known to be ours.
            try writeList()
        }
    }

    package func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }
    func write(_ json: JSONText, to name: String) throws { try write(json.indentedText, to: name) }

    func write(_ bytes: [UInt8], to name: String) throws {
        let target = try TableFile(self, name)
        try target.write(bytes)
        try target.finish()
    }

    /// What an earlier export wrote under that name; nil where its length is another, or it was changed since.
    func unchanged(_ name: String) -> Entry? {
        guard let entry = earlier[name], let listed, let status = Self.status("\(path)/\(name)"),
            !entry.isChanged, status.bytes == entry.bytes, status.changed <= listed
        else { return nil }
        return entry
    }

    private static func status(_ path: String) -> (bytes: Int, changed: Time)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (Int(status.st_size), (status.st_mtim.tv_sec, status.st_mtim.tv_nsec))
    }

    /// Has to be called for every file of this run, also for one that is kept: `finish` removes the others.
    func note(_ name: String, _ entry: Entry, isNew: Bool) throws {
        written[name] = entry
        unsaved += Self.line(name, entry)
        if isNew { newBytes += Int64(entry.bytes) }
        try finished(name, "\(path)/\(name)")
    }

    /// What is known of a file of this run.
    package func entry(_ name: String) -> Entry? { written[name] }

    /// Notes what is whole, so that an interrupted export continues from there.
    package func save() throws {
        let list = try File("\(path)/\(Self.list)", .updateOrCreate)
        try list.write(Array(unsaved.utf8), at: list.size())
        unsaved = ""
    }

    private func writeList() throws {
        let all = earlier.merging(written) { _, new in new }
        let lines = all.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
        try AtomicFile.write(Array(lines.joined().utf8), to: "\(path)/\(Self.list)")
        unsaved = ""
    }

    private static func line(_ name: String, _ entry: Entry) -> String { "\(entry.sha256) \(entry.bytes) \(name)\n" }

    /// Removes what is no longer in the dataset.
    package func finish() throws {
        for name in earlier.keys where written[name] == nil {
            unlink("\(path)/\(name)")
            removeEmptyFolders(above: name)
        }
        earlier = written
        try writeList()
    }

    private func removeEmptyFolders(above name: String) {
        var parts = name.split(separator: "/").dropLast()
        // rmdir(2) refuses those that hold something.
        while !parts.isEmpty, rmdir("\(path)/\(parts.joined(separator: "/"))") == 0 { parts = parts.dropLast() }
    }

    private static func entries(_ text: String) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        let whole = text.prefix(upTo: text.lastIndex(of: "\n") ?? text.startIndex)
        for line in whole.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            // A line that leads elsewhere is not ours to remove.
            guard parts.count == 3, let bytes = Int(parts[1]), !parts[2].hasPrefix("/"),
                !parts[2].split(separator: "/").contains("..")
            else { continue }
            entries[parts[2]] = Entry(bytes: bytes, sha256: parts[0])
        }
        return entries
    }
}

/// A file of the dataset that is written piece by piece. It takes its name when it is whole; where
/// the file of that name has the same bytes already, that one stays.
package final class TableFile {
    private let folder: DatasetFolder
    private let name: String
    private let file: PieceFile

    package init(_ folder: DatasetFolder, _ name: String) throws {
        (self.folder, self.name) = (folder, name)
        file = try PieceFile("\(folder.path)/\(name)", earlier: folder.unchanged(name))
    }

    package func write(_ text: String) throws { try write(Array(text.utf8)) }
    package func write(_ bytes: [UInt8]) throws { try file.write(bytes) }

    package func finish() throws {
        let (entry, isNew) = try file.finish()
        try folder.note(name, entry, isNew: isNew)
    }
}
