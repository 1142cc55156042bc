// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// A request for `HTTPClient`.
public struct HTTPRequest: Sendable, Hashable {
    /// What is sent with it.
    public enum Body: Sendable, Hashable {
        case none
        case bytes([UInt8])
        /// `length` bytes of a file from `offset` on, read while they are sent.
        case file(path: String, offset: Int64, length: Int64)
    }

    /// What is done with 301, 302, 303, 307 and 308.
    public enum Redirects: Sendable, Hashable {
        /// As a browser does: at most 5, a POST may become a GET. For downloads.
        case follow
        /// At most 5, to the same host only, with the same method and body. For deliveries: a captive portal's "200 OK"
        /// must not be taken for the server's.
        case sameHost
    }

    /// `GET`, `POST`, `HEAD`, `PATCH`, `PUT`, `DELETE`, `OPTIONS`.
    public var method: String
    /// http or https.
    public var url: String
    /// In order; without `Host` and `Content-Length`, which follow from the rest.
    public var headers: [WireRequest.Header]
    /// Its `Content-Type` stands in `headers`; a POST with `.none` is sent with a length of 0.
    public var body: Body
    /// Which redirects are followed; one that leads elsewhere makes the client throw.
    public var redirects: Redirects
    /// When it is given up, and how much of an answer is read.
    public var limits: HTTPLimits

    public init(
        method: String, url: String, headers: [WireRequest.Header] = [], body: Body = .none,
        redirects: Redirects = .sameHost, limits: HTTPLimits = .init()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.redirects = redirects
        self.limits = limits
    }
}

/// Bounds on time and size of one request.
public struct HTTPLimits: Sendable, Hashable {
    /// Until the connection stands, TLS included.
    public var connect: Duration = .seconds(20)
    /// Until everything is done, and a second more for each `slowestUpload` bytes of the body.
    public var total: Duration = .seconds(300)
    /// Bytes per second.
    public var slowestUpload: Int64 = 500
    /// Fewer than `slowestRate` bytes a second for so long ends it; whole seconds.
    public var slow: Duration = .seconds(30)
    /// Bytes per second.
    public var slowestRate = 10
    /// An answer with more bytes is broken off.
    public var maximumResponse = 1_048_576
    /// The first so many bytes of an answer are kept.
    public var keptResponse = 65_536

    /// The defaults above.
    public init() {}

    /// How long a request with so many bytes to send may take.
    func total(for length: Int64) -> Duration { total + .seconds(length / max(1, slowestUpload)) }

    /// For the download of a study: the whole answer is kept, up to 16 MiB.
    public static var download: HTTPLimits {
        var limits = HTTPLimits()
        limits.total = .seconds(120)
        limits.maximumResponse = 16 << 20
        limits.keptResponse = 16 << 20
        return limits
    }
}

/// A server's answer.
public struct HTTPResponse: Sendable, Hashable {
    /// Three digits; of the last answer when redirects were followed.
    public let status: Int
    /// In order, of the last answer only.
    public let headers: [WireRequest.Header]
    /// The first bytes of the body, as many as the limits keep.
    public let body: [UInt8]

    public init(status: Int, headers: [WireRequest.Header], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header field of that name, whatever its case.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
