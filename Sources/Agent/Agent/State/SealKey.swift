// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit

/// The device's own key to what it has to read again, outside the log: a file of the state folder
/// that only its owner can read, made at the first start, or what the configuration names.
///
/// With the device's disk and this key that can be read; recordings are not sealed to it.
package struct SealKey: Sendable {
    package let identity: AgeIdentity

    /// Throws where it cannot be read, or is no key.
    package init(_ settings: SealSettings, in folder: StateFolder) throws {
        guard let given = settings.key else {
            identity = try Self.own(folder.sealKey)
            return
        }
        do { identity = try AgeIdentity(SecretFile.read(given)) } catch let error as AgeKeyError {
            throw FileError(path: given, message: error.explanation.cause, remedy: error.explanation.remedy)
        }
    }

    static func remove(in folder: StateFolder) { unlink(folder.sealKey) }

    /// One that is there and cannot be used is never replaced: what is sealed to it would be lost.
    private static func own(_ path: String) throws -> AgeIdentity {
        guard access(path, F_OK) != 0 else {
            let text = String(try BoundedFile.text(path).prefix { !$0.isNewline })
            guard let identity = try? AgeIdentity(text) else {
                throw FileError(
                    path: path, message: "is no key of age",
                    remedy:
                        "put it back from a backup; without it what waits in the outbox cannot be sent: move it aside, "
                        + "and a new one is made")
            }
            return identity
        }
        guard let identity = AgeIdentity(secret: SecureRandom.bytes(32)) else { throw AgeFault.library.at(path) }
        try AtomicFile.write(Array((identity.text + "\n").utf8), to: path, mode: 0o600)
        return identity
    }
}

/// Opens what the device sealed for itself.
package struct OwnSeal: Sendable {
    let identity: AgeIdentity
    /// A folder in memory, in which a file is opened for as long as it is read.
    private let scratch: String

    /// Makes the key where there is none.
    package init(_ settings: SealSettings, in folder: StateFolder, scratch: String? = nil) throws {
        identity = try SealKey(settings, in: folder).identity
        self.scratch = scratch ?? "/dev/shm"
    }

    /// The content, unless it is not sealed.
    func content(_ bytes: [UInt8], at path: String) throws(FileError) -> [UInt8] {
        guard AgeReader.begins(bytes) else { return bytes }
        do throws(AgeFault) { return try AgeReader.open(bytes, [identity]) } catch { throw error.at(path) }
    }

    /// A memo's samples, whether it is sealed or not.
    static func sound(of path: String, _ own: OwnSeal?) throws(FileError) -> FLACReader.Sound {
        guard let own else { return try FLACReader.read(File(path, .read)) }
        return try own.opened([path]) { paths throws(FileError) in try FLACReader.read(File(paths[0], .read)) }
    }

    /// The files as the recorder would have written them in the clear, while `body` runs.
    func opened<Value>(_ paths: [String], _ body: ([String]) throws(FileError) -> Value) throws(FileError) -> Value {
        guard paths.contains(where: RecordingOpener.isSealed) else { return try body(paths) }
        let folder = try ScratchFolder(below: scratch)
        let opener = try RecordingOpener([identity], into: folder.path)
        var plain: [String] = []
        for path in paths { plain.append(RecordingOpener.isSealed(path) ? try opener.open(path) : path) }
        return try body(plain)
    }
}
