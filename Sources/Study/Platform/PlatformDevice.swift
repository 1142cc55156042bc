// SPDX-License-Identifier: Apache-2.0
import Base

/// What a platform's server client gets of the device: a way to send requests, and its secrets.
/// Answers are kept whole; one of more than 16 MiB throws. Every call blocks; call it on a separate
/// thread.
package protocol PlatformDevice: Sendable {
    /// One exchange with the server that is meant: a redirect is followed to the same host only, so
    /// that no other's answer is taken for its own.
    func send(_ request: WireRequest) throws -> ServerAnswer
    /// Fetches something: redirects are followed as a browser does.
    func download(_ request: WireRequest) throws -> ServerAnswer
    /// The secret in the file of that path, which only its owner may be able to read, or in the systemd
    /// credential of that name. Never printed or logged.
    func secret(_ credential: String) throws -> String
}

extension PlatformDevice {
    /// The answer to a GET; throws `DownloadError` where the server has no such thing.
    package func get(_ url: String, headers: [WireRequest.Header] = []) throws -> [UInt8] {
        let answer = try download(WireRequest(method: "GET", url: url, headers: headers, body: []))
        guard (200...299).contains(answer.status) else { throw DownloadError(url: url, status: answer.status) }
        return answer.body
    }
}

package struct ServerAnswer: Sendable, Hashable {
    /// Three digits; of the last answer when redirects were followed.
    package let status: Int
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
            remedy: isPassing ? "try again later" : "check the address and the study's key or token")
    }

    /// The server is busy or broken, whatever was asked for.
    private var isPassing: Bool { status == 429 || (500...599).contains(status) }
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
