// SPDX-License-Identifier: Apache-2.0
import Base

/// What a wire is given that delivers one kept request in several calls to its server.
///
/// Its closures block; it is used on the uploader's thread, within one step.
package struct WireLine {
    /// The wall clock, for times in answers.
    package let now: Instant
    /// What the step before gave as `WireStep.located`, kept over restarts and in the event log:
    /// never a secret. Nil = nothing was begun.
    package let place: String?
    /// One call; throws where no answer came, or where something other than the server gave it.
    package let send: (WireRequest) throws -> WireAnswer
    /// The secret in the file of that path, which only its owner may be able to read, or in the systemd
    /// credential of that name. Never kept or printed.
    package let secret: (String) throws -> String
    /// The value of a `Content-MD5` header for these bytes (RFC 1864); throws where the system
    /// forbids MD5 (FIPS).
    package let contentMD5: ([UInt8]) throws -> String

    package init(
        now: Instant, place: String?, send: @escaping (WireRequest) throws -> WireAnswer,
        secret: @escaping (String) throws -> String, contentMD5: @escaping ([UInt8]) throws -> String
    ) {
        self.now = now
        self.place = place
        self.send = send
        self.secret = secret
        self.contentMD5 = contentMD5
    }
}

/// A server's answer to one call.
package struct WireAnswer: Sendable, Hashable {
    /// Three digits.
    package let status: Int
    /// Its first 64 KiB.
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// What one step of a delivery in several calls came to.
package enum WireStep: Sendable, Hashable {
    /// So far; nil = from the beginning. It is kept, and then the next step follows.
    case located(String?)
    /// The last word on it, or for now.
    case finished(Verdict)
}
