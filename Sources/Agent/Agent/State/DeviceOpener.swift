// SPDX-License-Identifier: Apache-2.0
import Database
import Device
import Glibc
import SystemKit

/// Decrypts what the device encrypted for itself (`EncryptionKey`): memos that are played, recordings that are packed
/// or sent, result trees. `AgentRuntime` and `UploaderMaker` make one where the configuration has `[seal]`.
package struct DeviceOpener: Sendable {
    let identities: [AgeIdentity]
    /// A folder in memory for the decrypted copy of a file while it is read.
    private let scratch: String

    /// Makes the key where there is none.
    package init(_ settings: EncryptionSettings, in folder: StateFolder, scratch: String? = nil) throws {
        identities = try EncryptionKey(settings, in: folder).identities
        self.scratch = scratch ?? "/dev/shm"
        TemporaryFolder.sweep(self.scratch)
    }

    /// What the device has to read again is encrypted to it.
    var recipient: AgeRecipient? { identities.first?.recipient }

    /// True for bytes that are encrypted to another key than ours, such as one that was lost and may be put
    /// back.
    func isForeign(_ bytes: [UInt8]) -> Bool {
        AgeReader.begins(bytes) && BodyEncryption(to: [], own: identities).isForeign(bytes)
    }

    /// The decrypted content; `bytes` themselves where they are not encrypted. `path` is for the error.
    func content(_ bytes: [UInt8], at path: String) throws(FileError) -> [UInt8] {
        guard AgeReader.begins(bytes) else { return bytes }
        do throws(AgeFault) { return try AgeReader.open(bytes, identities) } catch { throw error.at(path) }
    }

    /// A memo's samples, whether it is encrypted or not.
    static func sound(of path: String, _ opener: DeviceOpener?) throws(FileError) -> FLACReader.Sound {
        guard let opener else { return try FLACReader.read(File(path, .read)) }
        return try opener.opened([path]) { paths throws(FileError) in try FLACReader.read(File(paths[0], .read)) }
    }

    /// The files as the recorder would have written them in the clear, while `body` runs.
    func opened<Value>(_ paths: [String], _ body: ([String]) throws(FileError) -> Value) throws(FileError) -> Value {
        guard paths.contains(where: RecordingOpener.isEncrypted) else { return try body(paths) }
        let folder = try TemporaryFolder("opened", in: scratch)
        let opener = try RecordingOpener(identities, into: folder.path)
        var plain: [String] = []
        for path in paths { plain.append(RecordingOpener.isEncrypted(path) ? try opener.open(path) : path) }
        return try body(plain)
    }
}
