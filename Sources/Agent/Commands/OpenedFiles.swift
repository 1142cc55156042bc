// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Recordings that a command reads: with a key, sealed ones are opened into a temporary folder.
package final class OpenedFiles {
    /// Nil without a key.
    private let folder: TemporaryFolder?
    private let opener: RecordingOpener?

    package init(_ keys: [AgeIdentity]) throws(FileError) {
        guard !keys.isEmpty else {
            (folder, opener) = (nil, nil)
            return
        }
        let folder = try TemporaryFolder("opened")
        opener = try RecordingOpener(keys, into: folder.path)
        self.folder = folder
    }

    /// The path at which it can be read. What is not sealed stays where it is.
    package func path(of path: String) throws(FileError) -> String {
        guard RecordingOpener.isSealed(path) else { return path }
        guard let opener else {
            throw FileError(
                path: path, message: "is sealed",
                remedy: "give the key of one of its recipients: --key identity.txt")
        }
        return try opener.open(path)
    }

    /// Takes away what was opened.
    package func close() { folder?.remove() }
}
