// SPDX-License-Identifier: Apache-2.0
import Dataset
import Glibc
import SystemKit

/// A dataset on its way into a zip, on standard output unless another descriptor is given: a file is packed as
/// soon as it is whole, and is then taken away, so that the disk holds its tables alone while they are written.
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
