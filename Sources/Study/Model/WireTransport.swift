// SPDX-License-Identifier: Apache-2.0
import Base

/// What `StudyWire.step` gets to deliver one request of the outbox in several calls to its server.
/// `HTTPDestination` makes it.
///
/// Its closures block; it is used on the uploader's thread, within one step.
package struct WireTransport {
    /// The wall clock, for times in answers.
    package let now: Instant
    /// How far the delivery is: what the previous step returned as `WireStep.located`. It is kept over
    /// restarts and in the event log, so it must not hold a secret. Nil = nothing was begun.
    package let location: String?
    /// One call; throws where no answer came, or where something other than the server gave it.
    /// Of a body the first 64 KiB are kept.
    package let send: (WireRequest) throws -> ServerAnswer
    /// The secret in the file of that path, which only its owner may be able to read, or in the systemd
    /// credential of that name. Never kept or printed.
    package let secret: (String) throws -> String
    /// The value of a `Content-MD5` header for these bytes (RFC 1864); throws where the system
    /// forbids MD5 (FIPS).
    package let contentMD5: ([UInt8]) throws -> String

    package init(
        now: Instant, location: String?, send: @escaping (WireRequest) throws -> ServerAnswer,
        secret: @escaping (String) throws -> String, contentMD5: @escaping ([UInt8]) throws -> String
    ) {
        self.now = now
        self.location = location
        self.send = send
        self.secret = secret
        self.contentMD5 = contentMD5
    }
}
