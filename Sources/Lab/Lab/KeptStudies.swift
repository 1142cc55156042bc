// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset
import Glibc
import Synchronization
import SystemKit

/// Copies that the server makes of the studies it serves, in `studies/` of the data folder: without the study's
/// words its answers cannot be read later (`CodebookReader`). A copy that is replaced goes to `NAME.versions/`.
package enum KeptStudies {
    private static let largest = 16 << 20
    /// Data of participants: these are not kept, and copies that an earlier version made are deleted.
    private static let personal = ["accounts.json", "participantProperties-values.json"]

    /// Of all studies' replaced copies. At a limit none is deleted: a text that would replace another is not kept.
    static let mostCopies = 1000
    static let mostBytes: Int64 = 256 << 20
    /// Stamps of a file and its copy when they were found to be equal. Requests are served at once, and a path has
    /// one writer at a time.
    private static let equal = Mutex<[Copy: [FileStamp]]>([:])

    /// A file of a study, and where it is kept.
    private struct Copy: Hashable {
        let source: String
        let name: String
        let folder: String
        /// The folder of copies that it replaces.
        let older: String
        var target: String { "\(folder)/\(name)" }
    }

    /// Copies files, and of folders the `.json` files. One that cannot be kept is reported, and served
    /// all the same.
    package static func keep(
        _ paths: [String], in directory: String, at now: Instant = SystemClock().now, report: (String) -> Void
    ) {
        equal.withLock { keepAll(paths, "\(directory)/studies", now, &$0, report) }
    }

    private static func keepAll(
        _ paths: [String], _ kept: String, _ now: Instant, _ equal: inout [Copy: [FileStamp]],
        _ report: (String) -> Void
    ) {
        for folder in FolderListing.readable(kept) {
            for file in personal { unlink("\(kept)/\(folder)/\(file)") }
        }
        for copy in paths.flatMap({ copies(of: $0, in: kept) }) {
            do { try keep(copy, kept, now, &equal) } catch {
                report("\(copy.source): not kept in \(kept): \(Explanation(error))")
            }
        }
    }

    private static func copies(of path: String, in kept: String) -> [Copy] {
        let name = path.split(separator: "/").last.map(String.init) ?? "study"
        let (files, older) = (names(in: path), "\(kept)/\(name).versions")
        guard !files.isEmpty else { return [Copy(source: path, name: name, folder: kept, older: older)] }
        return files.map { Copy(source: "\(path)/\($0)", name: $0, folder: "\(kept)/\(name)", older: older) }
    }

    /// The `.json` files of a folder that are the study's; none of a file.
    static func names(in path: String) -> [String] {
        FolderListing.readable(path).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") && !personal.contains($0) }
    }

    private static func keep(
        _ copy: Copy, _ kept: String, _ now: Instant, _ equal: inout [Copy: [FileStamp]]
    ) throws {
        let stamps = [copy.source, copy.target].compactMap { FileStamp($0) }
        guard stamps.count < 2 || equal[copy] != stamps else { return }
        let bytes = try BoundedFile.read(copy.source, limit: largest)
        let replaced = try? BoundedFile.read(copy.target, limit: largest)
        guard replaced != bytes else {
            equal[copy] = stamps.allSatisfy { $0.isSettled(at: now) } ? stamps : nil
            return
        }
        try File.makeFolder(copy.folder)
        if let replaced { try retire(replaced, copy, kept) }
        try AtomicFile.write(bytes, to: copy.target)
    }

    /// `A_1.0.json.000003.5f2c1e9a0b7d.json` is the third version of that file.
    private static func retire(_ bytes: [UInt8], _ copy: Copy, _ kept: String) throws {
        let ending = ".\(Digest.sha256(bytes).hexadecimal.prefix(12)).json"
        let known = FolderListing.readable(copy.older).filter {
            $0.hasPrefix(copy.name + ".") && $0.hasSuffix(".json")
        }
        guard !known.contains(where: { $0.hasSuffix(ending) }) else { return }
        let latest = known.compactMap { Int($0.dropFirst(copy.name.count + 1).prefix { $0.isNumber }) }.max() ?? 0
        try File.makeFolder(copy.older)
        try checkRoom(for: bytes.count, copy, kept)
        try AtomicFile.write(bytes, to: "\(copy.older)/\(copy.name).\((latest + 1).padded(6))\(ending)")
    }

    /// Throws at a limit, and leaves a note from which an export knows that a text is missing.
    private static func checkRoom(for bytes: Int, _ copy: Copy, _ kept: String) throws {
        let sizes = FolderListing.readable(kept).filter { $0.hasSuffix(".versions") }.flatMap { folder in
            FolderListing.readable("\(kept)/\(folder)").filter { $0.hasSuffix(".json") }.map { name -> Int64 in
                var status = stat()
                return stat("\(kept)/\(folder)/\(name)", &status) == 0 ? Int64(status.st_size) : 0
            }
        }
        let sum = sizes.reduce(Int64(bytes), +)
        guard sizes.count >= mostCopies || sum > mostBytes else { return }
        let note = "\(copy.older)/\(CodebookReader.gapNote)"
        if access(note, F_OK) != 0 { try AtomicFile.write(Array("\(copy.source)\n".utf8), to: note) }
        throw FileError(
            path: copy.older,
            message: "no room: of all studies \(mostCopies) replaced copies with \(mostBytes >> 20) MiB are kept",
            remedy: "move copies out of NAME.versions/; an export takes them by --study-file")
    }
}
