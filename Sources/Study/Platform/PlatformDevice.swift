// SPDX-License-Identifier: Apache-2.0
import Base

/// What a platform's server client gets of the device: a way to send requests, and its secrets.
/// Every call blocks; call it on a separate thread.
package protocol PlatformDevice: Sendable {
    /// One exchange with the server that is meant: a redirect is followed to the same host only, so
    /// that no other's answer is taken for its own.
    func send(_ request: WireRequest) throws -> ServerAnswer
    /// Fetches something: redirects are followed as a browser does, and the whole answer is
    /// kept, up to 16 MiB.
    func download(_ request: WireRequest) throws -> ServerAnswer
    /// The secret in a file that only its owner can read, or of that systemd credential. Never
    /// printed or logged.
    func secret(_ credential: String) throws -> String
}

extension PlatformDevice {
    /// The answer to a GET, whole; throws `DownloadError` where the server has no such thing.
    package func get(_ url: String, headers: [WireRequest.Header] = []) throws -> [UInt8] {
        let answer = try download(WireRequest(method: "GET", url: url, headers: headers, body: []))
        guard (200...299).contains(answer.status) else { throw DownloadError(url: url, status: answer.status) }
        return answer.body
    }
}

package struct ServerAnswer: Sendable, Hashable {
    /// Three digits; of the last answer when redirects were followed.
    package let status: Int
    /// Its first bytes, or all of it.
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// A server answered, but not with what was asked for.
package struct DownloadError: ExplainedError, Sendable, Hashable {
    private let url: String
    /// The answer's HTTP status.
    package let status: Int
    package init(url: String, status: Int) {
        self.url = url
        self.status = status
    }
    package var explanation: Explanation {
        Explanation(
            place: url, cause: "the server answered \(status)",
            remedy: status == 429 || status >= 500
                ? "try again later" : "check the address and the study's key or token")
    }
}

/// What a platform's server refused, or what keeps it from being asked.
package struct PlatformServerError: ExplainedError, Sendable, Hashable {
    /// The server's address, what is wrong, and what to do; holds no secret.
    package let explanation: Explanation

    /// `place` is the address that was asked, or the one that was given.
    package init(_ cause: String, at place: String? = nil, remedy: String? = nil) {
        explanation = Explanation(place: place, cause: cause, remedy: remedy)
    }
}
