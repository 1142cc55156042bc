// SPDX-License-Identifier: Apache-2.0
import Study

/// How platforms' server clients (for enrolment, updates, progress) reach their servers from this device: a new
/// `HTTPClient` for each request. Blocks.
package struct StudyConnection: PlatformDevice {
    package init() {}

    /// One exchange; redirects to the same host only.
    package func send(_ request: WireRequest) throws -> ServerAnswer {
        try exchange(request, redirects: .sameHost)
    }

    /// Redirects are followed as a browser does.
    package func download(_ request: WireRequest) throws -> ServerAnswer {
        try exchange(request, redirects: .follow)
    }

    /// The first line of the secret's file.
    package func secret(_ credential: String) throws -> String { try SecretFile.read(credential) }

    /// The answer is kept whole: an update of a study is as large as the study.
    private func exchange(_ request: WireRequest, redirects: HTTPRequest.Redirects) throws -> ServerAnswer {
        let response = try HTTPClient(userAgent: AgentVersion.userAgent).send(
            HTTPRequest(
                method: request.method, url: request.url, headers: request.headers,
                body: request.method == "GET" ? .none : .bytes(request.body), redirects: redirects,
                limits: .download))
        return ServerAnswer(status: response.status, body: response.body)
    }
}
