// SPDX-License-Identifier: Apache-2.0
import Dataset
import Glibc
import SystemKit

/// Writes a dataset as a zip to standard output (`study-receiver export -o -`), or to another descriptor. Each
/// file of `folder` is packed as soon as it is complete and then deleted, so that the disk holds only the
/// tables being written. `finish` ends the zip; `remove` deletes the temporary folder, also after an error.
struct ZippedDataset {
    let folder: DatasetFolder
    private let temporary: TemporaryFolder
    private let stream: ZipStream

    init(to output: CInt = STDOUT_FILENO) throws {
        let stream = ZipStream { bytes in
            guard File.write(bytes[...], to: output) else { throw FileError.last("write", "standard output") }
        }
        self.stream = stream
        temporary = try TemporaryFolder("dataset")
        folder = try DatasetFolder(temporary.path + "/tables") { name, path in
            try stream.add(name, file: path)
            unlink(path)
        }
    }

    func finish() throws { try stream.finish() }

    func remove() { temporary.remove() }
}
