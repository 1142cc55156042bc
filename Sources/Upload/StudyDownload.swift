// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Fetches a study as its platform's app does.
public struct StudyDownload {
    private let client: HTTPClient

    /// Downloads by that client, on its thread.
    public init(_ client: HTTPClient) { self.client = client }

    /// A schema study: the app sends a POST with `seed=f2d91e73`; a server that takes no POST there, or answers it with something else than
    /// JSON, is asked by GET, as momenTUM's app asks.
    public func schema(_ url: String) throws -> [UInt8] {
        let form = WireRequest.Header(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let posted = try client.send(
            HTTPRequest(
                method: "POST", url: url, headers: [form], body: .bytes(Array("seed=f2d91e73".utf8)),
                redirects: .follow, limits: .download))
        let isStudy = (200...299).contains(posted.status) && Self.looksLikeJSON(posted.body)
        return isStudy ? posted.body : try get(url)
    }

    /// It begins with a brace, after white space and a byte order mark.
    private static func looksLikeJSON(_ body: [UInt8]) -> Bool {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }

    /// The answer to a GET, whole.
    public func get(_ url: String, headers: [WireRequest.Header] = []) throws -> [UInt8] {
        let request = HTTPRequest(method: "GET", url: url, headers: headers, redirects: .follow, limits: .download)
        return try body(of: try client.send(request), from: url)
    }

    private func body(of response: HTTPResponse, from url: String) throws -> [UInt8] {
        guard (200...299).contains(response.status) else { throw DownloadError(url: url, status: response.status) }
        return response.body
    }
}

/// A server answered, but not with what was asked for.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address that was asked.
    public let url: String
    /// The answer's HTTP status.
    public let status: Int
    /// An answer of that status.
    public init(url: String, status: Int) {
        self.url = url
        self.status = status
    }
    /// Names the address and the remedy.
    public var description: String {
        "\(url): the server answered \(status): check the address and the study's key or token"
    }
}
