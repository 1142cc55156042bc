// SPDX-License-Identifier: Apache-2.0
import Study

/// How platforms' server clients reach their servers from this device: a new client for each
/// request. Blocks.
package struct StudyConnection: PlatformDevice {
    package init() {}

    /// One exchange; redirects to the same host only.
    package func send(_ request: WireRequest) throws -> ServerAnswer { try exchange(Self.request(request)) }

    /// A download: redirects are followed, and the whole answer is kept.
    package func download(_ request: WireRequest) throws -> ServerAnswer {
        var request = Self.request(request)
        request.redirects = .follow
        request.limits = .download
        return try exchange(request)
    }

    /// The first line of the secret's file.
    package func secret(_ credential: String) throws -> String { try SecretFile.read(credential) }

    private static func request(_ request: WireRequest) -> HTTPRequest {
        HTTPRequest(
            method: request.method, url: request.url, headers: request.headers,
            body: request.method == "GET" ? .none : .bytes(request.body))
    }

    private func exchange(_ request: HTTPRequest) throws -> ServerAnswer {
        let response = try HTTPClient(userAgent: AgentVersion.userAgent).send(request)
        return ServerAnswer(status: response.status, body: response.body)
    }
}
