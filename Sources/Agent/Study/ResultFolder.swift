// SPDX-License-Identifier: Apache-2.0
import Glibc
import Store
import SystemKit

/// The result trees of submitted runs, one JSON file each: `results/<enrolment>/<task>-<run>.json`. They stay on the device.
public struct ResultFolder: Sendable {
    /// The folder; made with the first result.
    public let path: String

    /// The results below `path`.
    public init(_ path: String) { self.path = path }

    /// A tree that is to be kept.
    public struct Entry: Sendable, Hashable {
        /// Whose it is.
        public let enrolment: String
        /// Of the file, without folder.
        public let name: String
        /// The JSON.
        public let content: [UInt8]

        /// The tree of that run of that task; `run` counts from 1.
        public init(enrolment: String, task: String, run: Int, content: [UInt8]) {
            self.enrolment = enrolment
            name = "\(ResultFolder.fileName(task))-\(run).json"
            self.content = content
        }
    }

    /// Keeps a tree durably, in place of one of the same run; blocks on the disk.
    public func keep(_ entry: Entry) throws {
        for folder in [path, folder(of: entry.enrolment)] {
            guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
                throw FileFault(path: folder, message: String(cString: strerror(errno)))
            }
        }
        try AtomicFile.write(entry.content, to: folder(of: entry.enrolment) + "/" + entry.name)
    }

    /// Paths of the trees of that enrolment, by name; empty where there are none.
    public func results(of enrolment: String) -> [String] {
        names(of: enrolment).filter { $0.hasSuffix(".json") }.sorted().map { folder(of: enrolment) + "/" + $0 }
    }

    /// Deletes all of them.
    public func remove(of enrolment: String) {
        for name in names(of: enrolment) { unlink(folder(of: enrolment) + "/" + name) }
        rmdir(folder(of: enrolment))
    }

    private func folder(of enrolment: String) -> String { path + "/" + Self.fileName(enrolment) }

    private func names(of enrolment: String) -> [String] {
        FolderListing.readable(folder(of: enrolment))
    }

    /// A key of a study may hold anything, a slash for one: what is no letter, digit, `_` or `.` within is written in hexadecimal.
    static func fileName(_ key: String) -> String {
        let name = key.utf8.enumerated().map { index, byte -> String in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_" || scalar == "-" || scalar == "." && index > 0
            return isPlain ? String(scalar) : "=" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        // File names have an end; two long keys that begin alike stay two.
        guard name.utf8.count > 120, let digest = try? Digest(of: Array(key.utf8)) else { return name }
        return name.prefix(80) + "=" + digest.description.prefix(32)
    }
}
