// SPDX-License-Identifier: Apache-2.0
import Base

/// Finds the handler of a request by method and path. `Receiver` adds the routes, `ClientConnection` asks for
/// each request.
///
/// A pattern is a path of literal segments, `:name` for any one non-empty segment, and `*name` at
/// its end for any further segments, none included. Of several routes that match, the one added
/// first wins. HEAD is answered by the route of GET unless it has its own.
package struct Router: Sendable {
    /// Answers a request, or throws `HTTPFailure` to refuse it. Any other error becomes a 500
    /// without details.
    package typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

    struct Route: Sendable {
        let method: String
        let segments: [String]
        let bodyLimit: Int?
        let handler: Handler
    }

    private var routes: [Route] = []
    private var observer: (@Sendable (HTTPRequest) async throws -> HTTPFields)?

    /// Looks at every request before its route is looked for; throws to refuse it.
    var gate: @Sendable (HTTPRequest) throws(HTTPFailure) -> Void = { _ in }

    /// What the signature of a request shows, looked at once for each that has a route.
    var signature: @Sendable (HTTPRequest) -> RequestSignature = { _ in .absent }

    package init() {}

    /// Shows every request of the routes that are added from now on to `observer`, before it is
    /// answered. What that throws is the answer; the fields that it returns go with the answer
    /// that the handler returns.
    mutating func observe(_ observer: @escaping @Sendable (HTTPRequest) async throws -> HTTPFields) {
        self.observer = observer
    }

    /// Adds a route. `bodyLimit` is in bytes; nil takes the server's.
    package mutating func on(_ method: String, _ pattern: String, bodyLimit: Int? = nil, handler: @escaping Handler) {
        routes.append(
            Route(
                method: method, segments: Self.segments(pattern), bodyLimit: bodyLimit,
                handler: Self.observed(handler, by: observer)))
    }

    private static func observed(
        _ handler: @escaping Handler, by observer: (@Sendable (HTTPRequest) async throws -> HTTPFields)?
    ) -> Handler {
        guard let observer else { return handler }
        return { request in
            let fields = try await observer(request)
            var response = try await handler(request)
            for field in fields.all { response.fields[field.name] = field.value }
            return response
        }
    }

    /// The route of a request and what its pattern matched; throws 400, 404, or 405 with `Allow`.
    func route(_ method: String, _ path: String) throws(HTTPFailure) -> (Route, [String: String]) {
        var decoded: [String] = []
        for segment in Self.segments(path) {
            guard let text = PercentCode.decoded(segment, plusIsSpace: false), !text.utf8.contains(0) else {
                throw HTTPFailure(400, "the path is not valid percent-encoded UTF-8")
            }
            decoded.append(text)
        }
        let fitting = routes.compactMap { route in Self.match(route.segments, decoded).map { (route, $0) } }
        guard !fitting.isEmpty else { throw HTTPFailure(404, "there is nothing at this path") }
        if let found = fitting.first(where: { $0.0.method == method }) { return found }
        if method == "HEAD", let found = fitting.first(where: { $0.0.method == "GET" }) { return found }
        throw HTTPFailure(
            405, "\(method) is not possible at this path", fields: ["Allow": Self.allowed(fitting.map(\.0.method))])
    }

    private static func allowed(_ methods: [String]) -> String {
        let all = Set(methods)
        return (all.contains("GET") ? all.union(["HEAD"]) : all).sorted().joined(separator: ", ")
    }

    private static func segments(_ path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private static func match(_ pattern: [String], _ path: [String]) -> [String: String]? {
        var parameters: [String: String] = [:]
        for (index, segment) in pattern.enumerated() {
            if segment.hasPrefix("*") {
                parameters[String(segment.dropFirst())] = path.dropFirst(index).joined(separator: "/")
                return parameters
            }
            guard index < path.count else { return nil }
            if segment.hasPrefix(":") {
                guard !path[index].isEmpty else { return nil }
                parameters[String(segment.dropFirst())] = path[index]
            } else if segment != path[index] {
                return nil
            }
        }
        return pattern.count == path.count ? parameters : nil
    }
}
