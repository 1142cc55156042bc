// SPDX-License-Identifier: Apache-2.0
import Dataset
import Glibc
import SystemKit

/// A dataset on its way into a zip on standard output: a file is packed as soon as it is whole, and
/// is then taken away, so that the disk holds its tables alone while they are written.
struct ZippedDataset {
    let folder: DatasetFolder
    private let stream: ZipStream

    /// A folder for it is made below `temporary`.
    init(in temporary: String) throws {
        var path = Array("\(temporary)/studyd-dataset-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw FileError.last("create a folder in", temporary) }
        let stream = ZipStream { bytes in
            guard File.write(bytes[...], to: STDOUT_FILENO) else { throw FileError.last("write", "standard output") }
        }
        self.stream = stream
        folder = try DatasetFolder(String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)) {
            name, path in
            try stream.add(name, file: path)
            unlink(path)
        }
    }

    func finish() throws { try stream.finish() }

    func remove() { FolderRemoval.remove(folder.path) }
}
