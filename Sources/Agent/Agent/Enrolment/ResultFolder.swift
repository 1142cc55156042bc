// SPDX-License-Identifier: Apache-2.0
import Glibc
import Study
import SystemKit

/// The result trees of submitted runs, one JSON file each: `results/<enrolment>/<task>-<run>.json`, and
/// `<task>=v2-<run>.json` with the task's second numbers. They stay on the device.
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
            guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
                throw FileError(path: folder, message: String(cString: strerror(errno)))
            }
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
