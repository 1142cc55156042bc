// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// The result trees of submitted runs, one JSON file each: `results/<enrolment>/<task>-<run>.json`, and
/// `<task>=v2-<run>.json` with the task's second numbers. `CommitService` writes them, `studyd history` lists them;
/// they stay on the device.
package struct ResultFolder: Sendable {
    /// The folder; made with the first result.
    private let path: String
    /// The age keys to which files are encrypted; empty = plain JSON. The device never reads them again.
    private let recipients: [AgeRecipient]

    package init(_ path: String, encryptedTo recipients: [AgeRecipient] = []) {
        (self.path, self.recipients) = (path, recipients)
    }

    /// Writes a tree and syncs it, replacing an earlier one of the same run; blocks on the disk.
    package func keep(_ entry: ResultEntry) throws {
        for folder in [path, folder(of: entry.enrolment)] {
            guard mkdir(folder, 0o750) == 0 || errno == EEXIST else { throw FileError.last(folder) }
        }
        let place = folder(of: entry.enrolment) + "/" + entry.name
        guard !recipients.isEmpty else { return try AtomicFile.write(entry.content, to: place) }
        let encrypted: [UInt8]
        do throws(AgeFault) { encrypted = try AgeWriter.encrypt(entry.content, to: recipients) } catch {
            throw error.at(place)
        }
        try AtomicFile.write(encrypted, to: place + Self.encryptedEnding)
    }

    private static let encryptedEnding = ".age"

    /// Paths of the trees of that enrolment, by name; empty where there are none.
    package func results(of enrolment: String) -> [String] {
        names(of: enrolment).filter { $0.hasSuffix(".json") || $0.hasSuffix(".json" + Self.encryptedEnding) }.sorted()
            .map { folder(of: enrolment) + "/" + $0 }
    }

    package func remove(of enrolment: String) {
        for name in names(of: enrolment) { unlink(folder(of: enrolment) + "/" + name) }
        rmdir(folder(of: enrolment))
    }

    private func folder(of enrolment: String) -> String { path + "/" + ResultEntry.fileName(of: enrolment) }

    private func names(of enrolment: String) -> [String] {
        FolderListing.readable(folder(of: enrolment))
    }
}

extension ResultEntry {
    /// The name of its file, without folder: `Q-4.json`, and `Q=v2-4.json` with the second numbers of that task.
    package var name: String { "\(Self.fileName(of: task))\(numbering > 1 ? "=v\(numbering)" : "")-\(run).json" }

    /// A key of a study may hold anything, a slash for one: everything but ASCII letters, digits, `_`,
    /// `-` and `.` (not as the first) is written in hexadecimal, `=2F`.
    package static func fileName(of key: String) -> String {
        let name = key.utf8.enumerated().map { index, byte -> String in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_" || scalar == "-" || scalar == "." && index > 0
            return isPlain ? String(scalar) : "=" + byte.padded(2, radix: 16)
        }.joined()
        // File names have a maximum length; two long keys that begin alike stay apart.
        guard name.utf8.count > 120, let digest = try? Digest(of: Array(key.utf8)) else { return name }
        return name.prefix(80) + "=" + digest.description.prefix(32)
    }
}
