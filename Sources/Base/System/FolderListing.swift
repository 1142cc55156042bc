// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The names in a folder, without `.` and `..`; the one place that asks the kernel for them.
///
/// A `dirent` is as long as its name (readdir(3): "the use of sizeof(d_name) is incorrect"):
/// copying all 256 bytes of `d_name` reads past the buffer of the C library at its end, and
/// sometimes past its last page.
package enum FolderListing {
    /// Why a folder could not be listed.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        private let path: String
        /// The errno value.
        package let code: CInt

        package init(path: String, code: CInt) { (self.path, self.code) = (path, code) }

        package var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    /// All names, sorted; none where the folder is not there or cannot be read.
    package static func readable(_ path: String) -> [String] { (try? names(in: path)) ?? [] }

    /// The names that are wanted, sorted; reading ends with the one after `most`, so that the
    /// caller sees that there are too many.
    package static func names(
        in path: String, most: Int = .max - 1, where isWanted: (String) -> Bool = { _ in true }
    ) throws(Failure) -> [String] {
        var names: [String] = []
        try forEach(in: path) { name in
            if isWanted(name) { names.append(name) }
            return names.count <= most
        }
        return names.sorted()
    }

    /// Every name in the order of the file system, until `body` answers false; thousands of them
    /// are never in memory together.
    package static func forEach(in path: String, _ body: (String) -> Bool) throws(Failure) {
        guard let folder = opendir(path) else { throw Failure(path: path, code: errno) }
        defer { closedir(folder) }
        try forEach(in: folder, of: path, body)
    }

    /// The same of an open stream, which stays open.
    package static func forEach(in folder: OpaquePointer, of path: String, _ body: (String) -> Bool) throws(Failure) {
        while true {
            // readdir(3): the end and an error look alike but for errno.
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw Failure(path: path, code: errno) }
                return
            }
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
            if name != ".", name != "..", !body(name) { return }
        }
    }
}
