// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Copies of the studies that are served, in `studies/` of the data folder: without the study's
/// words its answers cannot be read later.
package enum KeptStudies {
    private static let largest = 16 << 20
    /// Of participants, not of the study. A copy that an earlier version has made is deleted.
    private static let personal = ["accounts.json", "participantProperties-values.json"]

    /// Copies files, and of folders the `.json` files. One that cannot be kept is reported, and served
    /// all the same.
    package static func keep(_ paths: [String], in directory: String, report: (String) -> Void) {
        for folder in FolderListing.readable("\(directory)/studies") {
            for file in personal { unlink("\(directory)/studies/\(folder)/\(file)") }
        }
        for path in paths {
            do {
                let files = names(in: path)
                let name = path.split(separator: "/").last.map(String.init) ?? "study"
                if files.isEmpty {
                    try keep(path, as: "\(directory)/studies/\(name)")
                } else {
                    for file in files { try keep("\(path)/\(file)", as: "\(directory)/studies/\(name)/\(file)") }
                }
            } catch {
                report("\(path): not kept in \(directory)/studies: \(Explanation(error))")
            }
        }
    }

    /// The `.json` files of a folder that are the study's; none of a file.
    static func names(in path: String) -> [String] {
        FolderListing.readable(path).filter {
            $0.hasSuffix(".json") && !$0.hasPrefix(".") && !personal.contains($0)
        }
    }

    private static func keep(_ path: String, as target: String) throws {
        let bytes = try BoundedFile.read(path, limit: largest)
        guard (try? BoundedFile.read(target, limit: largest)) != bytes else { return }
        if let slash = target.lastIndex(of: "/") { try File.makeFolder(String(target[..<slash])) }
        try AtomicFile.write(bytes, to: target)
    }
}
