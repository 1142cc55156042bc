// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Glibc
import SystemKit

/// What is left to be done of a takeover once there is a network, or once cloud-init has finished.
/// Holds a token, so it lies where only root reads.
package struct TakeoverRest: Codable, Sendable, Hashable {
    /// Nil = enrolled.
    package var request: EnrolmentRequest?
    /// cloud-init is to be switched off once it has done its work.
    package var waitsForCloudInit = false
    /// The path of the `RESULT.txt` to be written.
    package var result: String
    /// What the study's server answered; nil = it was not reached yet.
    package var refusal: TakeoverMistake?
    /// Of that file; nil = English.
    package var language: String?
    /// The date in that file, by which a stick is known that still says that the device waits; nil = it
    /// says that the device was taken over.
    package var waitingSince: String?
    /// The participant whom it enrolled; nil = none yet.
    package var enrolled: String?

    package init(result: String) { self.result = result }

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
        // A file that is replaced leaves the token of the one before on the card.
        if request == nil { try SecretWipe.wipe(path) }
        guard !isDone else { return }
        try AtomicFile.write([UInt8](JSONEncoder().encode(self)), to: path, mode: 0o600)
    }
}
