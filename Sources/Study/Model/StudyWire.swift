// SPDX-License-Identifier: Apache-2.0
import Base

/// How a platform's servers take requests that were written before, whichever study they are of:
/// `HTTPDestination` of the uploader sends by it.
package protocol StudyWire: Sendable {
    /// The request that carries a file: for the same bytes and fields always the same. Throws
    /// `RunFileError` where it can never be sent.
    func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest
    /// What the server's answer means. `body` is cut to its first 64 KiB.
    func verdict(status: Int, body: [UInt8]) -> Verdict
    /// What the server's answer to that request means. Callers use this one; a platform implements it only
    /// where the meaning depends on the request, since by default it is the one above.
    func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict
    /// The next step of a delivery that takes several calls; nil = this request is sent as it is,
    /// in one. Throws what the transport throws.
    func step(delivering request: WireRequest, over transport: WireTransport) throws -> WireStep?
    /// The server keeps the same request twice when it comes twice.
    var storesTwice: Bool { get }
    /// The least time that its server wants between two requests.
    var minimumInterval: Duration { get }
}

extension StudyWire {
    /// False: the server knows a request that comes again, or it does no harm there.
    package var storesTwice: Bool { false }

    package var minimumInterval: Duration { .zero }

    /// Takes none: the message says to send files elsewhere.
    package func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest {
        throw RunFileError("this study's server takes no files: send them to another destination")
    }

    package func step(delivering request: WireRequest, over transport: WireTransport) throws -> WireStep? { nil }

    /// The same for every request.
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        verdict(status: status, body: body)
    }
}
