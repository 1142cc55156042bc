// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Synchronization
import SystemKit

/// Copies of the studies that are served, in `studies/` of the data folder: without the study's
/// words its answers cannot be read later. A copy that is replaced goes to `NAME.versions/`.
package enum KeptStudies {
    private static let largest = 16 << 20
    /// Of participants, not of the study. A copy that an earlier version has made is deleted.
    private static let personal = ["accounts.json", "participantProperties-values.json"]

    /// The latest of each file; older ones are deleted.
    static let mostVersions = 50
    /// Requests are served at once, and a path has one writer at a time.
    private static let turn = Mutex(())

    /// Copies files, and of folders the `.json` files. One that cannot be kept is reported, and served
    /// all the same.
    package static func keep(_ paths: [String], in directory: String, report: (String) -> Void) {
        turn.withLock { _ in keepAll(paths, directory, report) }
    }

    private static func keepAll(_ paths: [String], _ directory: String, _ report: (String) -> Void) {
        for folder in FolderListing.readable("\(directory)/studies") {
            for file in personal { unlink("\(directory)/studies/\(folder)/\(file)") }
        }
        for path in paths {
            do {
                let files = names(in: path)
                let name = path.split(separator: "/").last.map(String.init) ?? "study"
                let (kept, older) = ("\(directory)/studies", "\(directory)/studies/\(name).versions")
                if files.isEmpty { try keep(path, as: name, in: kept, older) }
                for file in files { try keep("\(path)/\(file)", as: file, in: "\(kept)/\(name)", older) }
            } catch {
                report("\(path): not kept in \(directory)/studies: \(Explanation(error))")
            }
        }
    }

    /// The `.json` files of a folder that are the study's; none of a file.
    static func names(in path: String) -> [String] {
        FolderListing.readable(path).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") && !personal.contains($0) }
    }

    private static func keep(_ path: String, as name: String, in folder: String, _ older: String) throws {
        let (bytes, target) = (try BoundedFile.read(path, limit: largest), "\(folder)/\(name)")
        let replaced = try? BoundedFile.read(target, limit: largest)
        guard replaced != bytes else { return }
        try File.makeFolder(folder)
        if let replaced { try retire(replaced, name, to: older) }
        try AtomicFile.write(bytes, to: target)
    }

    /// `A_1.0.json.000003.5f2c1e9a0b7d.json` is the third version of that file.
    private static func retire(_ bytes: [UInt8], _ name: String, to folder: String) throws {
        let ending = ".\(Digest.sha256(bytes).hexadecimal.prefix(12)).json"
        let known = FolderListing.readable(folder).filter { $0.hasPrefix(name + ".") && $0.hasSuffix(".json") }
        guard !known.contains(where: { $0.hasSuffix(ending) }) else { return }
        let latest = known.compactMap { Int($0.dropFirst(name.count + 1).prefix { $0.isNumber }) }.max() ?? 0
        try File.makeFolder(folder)
        try AtomicFile.write(bytes, to: "\(folder)/\(name).\((latest + 1).padded(6))\(ending)")
        for old in known.dropLast(mostVersions - 1) { unlink("\(folder)/\(old)") }
    }
}
