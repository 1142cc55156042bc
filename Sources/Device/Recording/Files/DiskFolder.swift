// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A folder with durable changes of names: that of recordings.
package struct DiskFolder: Sendable, Hashable {
    /// Where it is, without a slash at the end.
    package let path: String

    package init(creating path: String) throws(FileError) {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw .last("create the folder", path)
        }
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in it that are wanted, sorted, without those that begin with a dot.
    package func names(where isWanted: (String) -> Bool = { _ in true }) throws(FileError) -> [String] {
        var names: [String] = []
        try forEachName { if isWanted($0) { names.append($0) } }
        return names.sorted()
    }

    /// Every name in it, in no order; thousands of them are never in memory together.
    func forEachName(_ body: (String) -> Void) throws(FileError) {
        do throws(FolderListing.Failure) {
            try FolderListing.forEach(in: path) { name in
                if !name.hasPrefix(".") { body(name) }
                return true
            }
        } catch {
            throw FileError(operation: "list", path: path, code: error.code)
        }
    }

    package func contains(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// Gives a file another name, replacing one that has it. Durable after `sync`.
    package func rename(_ old: String, to new: String) throws(FileError) {
        guard Glibc.rename(file(old), file(new)) == 0 else { throw .last("rename to \(new)", file(old)) }
    }

    /// Removes a file; one that is not there is no error.
    package func remove(_ name: String) throws(FileError) {
        guard unlink(file(name)) == 0 || errno == ENOENT else { throw .last("remove", file(name)) }
    }

    /// Waits until names are on the medium.
    package func sync() throws(FileError) {
        try File(path, .read).sync(metadata: true)
    }

    /// Puts a whole small file in place: after a power cut there is the old one or the new
    /// one, never a part.
    package func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        // The temporary file may outlive a power cut; `RecordingFolder.recover` removes it by its ending.
        try AtomicFile.write(bytes, to: file(name), beside: file(name + ".tmp"), mode: 0o600)
    }

    /// The whole of a file of at most `limit` bytes.
    package func contents(of name: String, limit: Int = 4 << 20) throws(FileError) -> [UInt8] {
        let file = try File(self.file(name), .read)
        let size = try file.size()
        guard size <= limit else {
            throw .format(path: file.path, problem: "is \(size) bytes, more than the \(limit) expected")
        }
        return try file.read(size, at: 0)
    }
}
