// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Glibc
import SystemKit

/// What `FolderTakeover` leaves to `TakeoverFinish`: enrolling once there is a network, and
/// wiping cloud-init's Wi-Fi and switching it off. The file may hold an enrolment token, so only root can read it.
package struct TakeoverRest: Codable, Sendable, Hashable {
    /// The enrolment that is still to be made; nil = it was made.
    package var request: EnrolmentRequest?
    /// Once cloud-init has done its work, its Wi-Fi is to be wiped, and it is to be switched off unless it is needed.
    package var waitsForCloudInit = false
    /// The path of the `RESULT.txt` to be written.
    package var result: String
    /// Why the enrolment was given up after several tries; nil = it was not.
    package var refusal: TakeoverMistake?
    /// The language of `RESULT.txt`; nil = English.
    package var language: String?
    /// The date in a `RESULT.txt` that says that the device waits: by it the stick with that file is known
    /// again, so that the file can be brought up to date. Nil = the file says that the device was taken over.
    package var waitingSince: String?
    /// The participant who was enrolled; nil = none yet.
    package var enrolled: String?

    package var isDone: Bool { request == nil && !waitsForCloudInit && waitingSince == nil }

    /// The server to be reached before an enrolment is worth a try: the source itself where it is
    /// http(s), else `https://host` of what follows the platform's `…://`.
    package var server: String? {
        guard let source = request?.source, let end = source.firstRange(of: "://")?.upperBound else { return nil }
        return source.hasPrefix("http://") || source.hasPrefix("https://")
            ? source : "https://" + source[end...].prefix { $0 != "/" }
    }

    /// Nil where nothing is left, or the file cannot be read.
    package static func read(_ path: String) -> Self? {
        guard let bytes = try? BoundedFile.read(path) else { return nil }
        return try? JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    /// Keeps it, or removes the file where everything is done.
    package func keep(at path: String) throws {
        // Replacing or removing the file would leave the old one's token on the card.
        if request == nil { try SecretWipe.wipe(path) }
        guard !isDone else { return }
        try AtomicFile.write([UInt8](JSONEncoder().encode(self)), to: path, mode: 0o600)
    }
}
