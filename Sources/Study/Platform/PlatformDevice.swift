// SPDX-License-Identifier: Apache-2.0
import Base

/// What a platform's server client gets of the device (the agent's `StudyConnection`): a way to send requests,
/// and its secrets. Answers are kept whole; one of more than 16 MiB throws. Every call blocks; call it on a
/// separate thread.
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
