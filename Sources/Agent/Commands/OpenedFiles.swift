// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Recordings that a command of `studyd-tools` reads: with a key, encrypted ones are opened into a temporary
/// folder.
package final class OpenedFiles {
    /// Where the opened copies go; nil without a key, since nothing can be opened then.
    private let folder: TemporaryFolder?
    private let keys: [AgeIdentity]
    private let index = RecordingFileIndex()
    private var count = 0

    package init(_ keys: [AgeIdentity]) throws(FileError) {
        self.keys = keys
        folder = keys.isEmpty ? nil : try TemporaryFolder("opened")
    }

    /// Where the recording can be read: `path` itself unless it is encrypted, else an opened copy. Each copy
    /// gets a folder, since recordings of two devices may have one name.
    package func path(of path: String) throws(FileError) -> String {
        guard RecordingOpener.isEncrypted(path) else { return path }
        guard let folder else {
            throw FileError(
                path: path, message: "is sealed",
                remedy: "give the key of one of its recipients: --key identity.txt")
        }
        count += 1
        return try RecordingOpener(keys, into: "\(folder.path)/\(count)").open(path, in: index)
    }

    package func close() { folder?.remove() }
}
