// SPDX-License-Identifier: Apache-2.0
import Database
import Device
import Glibc
import SystemKit

/// The device's own secret key of age (age-encryption.org), outside the log: a file of the state folder that
/// only its owner can read, made at the first start, or the file that the configuration names.
///
/// What the device has to read again is encrypted to this key: answers in the log, what waits in the outbox,
/// spoken answers and results until they are packed. Other recordings are encrypted to the configured
/// recipients alone, so the device cannot open them. `DeviceOpener` makes or reads the key for the
/// agent, `BodyEncryption.present` reads it for a store.
package struct EncryptionKey: Sendable {
    /// The first one encrypts. Further lines of the file are earlier keys, which only open what they encrypted.
    let identities: [AgeIdentity]

    /// Reads the key, or makes one where there is none. Throws where it cannot be read, or is no key.
    package init(_ settings: EncryptionSettings, in folder: StateFolder) throws {
        let path = folder.encryptionKey
        identities = try settings.key.map(Self.readConfigured) ?? Self.readOwn(path) ?? [Self.makeOwn(path)]
    }

    /// Reads the key; nil where there is none. Makes none.
    fileprivate init?(existingIn folder: StateFolder, _ settings: EncryptionSettings?) throws {
        guard let found = try settings?.key.map(Self.readConfigured) ?? Self.readOwn(folder.encryptionKey)
        else { return nil }
        identities = found
    }

    static func remove(in folder: StateFolder) { unlink(folder.encryptionKey) }

    private static func readConfigured(_ path: String) throws -> [AgeIdentity] {
        do { return try AgeIdentity.all(in: SecretFile.read(path)) } catch let error as AgeKeyError {
            throw FileError(path: path, message: error.explanation.cause, remedy: error.explanation.remedy)
        }
    }

    /// Nil where there is no file. A file that cannot be used throws and is never replaced, since what is
    /// encrypted to it would be lost; nor is a link to a medium that is not mounted (hence lstat).
    private static func readOwn(_ path: String) throws -> [AgeIdentity]? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard let identities = try? AgeIdentity.all(in: BoundedFile.text(path)) else {
            throw FileError(
                path: path, message: "cannot be read, or is no key of age",
                remedy:
                    "put it back from a backup, readable for the user of studyd; without it what waits in the outbox "
                    + "cannot be sent, and earlier answers cannot be shown: move it aside, and a new one is made")
        }
        return identities
    }

    private static func makeOwn(_ path: String) throws -> AgeIdentity {
        guard let identity = AgeIdentity(secret: SecureRandom.bytes(32)) else { throw AgeFault.library.at(path) }
        try AtomicFile.write(Array((identity.text + "\n").utf8), to: path, mode: 0o600)
        return identity
    }
}

extension BodyEncryption {
    package init(_ settings: EncryptionSettings, opener: DeviceOpener) {
        self.init(to: settings.recipients, own: opener.identities)
    }

    /// For commands that must not make a key; nil where there is none that they can read.
    package static func present(_ settings: EncryptionSettings?, in folder: StateFolder) -> BodyEncryption? {
        guard let key = try? EncryptionKey(existingIn: folder, settings) else { return nil }
        return BodyEncryption(to: settings?.recipients ?? [], own: key.identities)
    }
}
