// SPDX-License-Identifier: Apache-2.0
import Study

package struct HTTPRequest: Sendable, Hashable {
    /// What is sent with it.
    package enum Body: Sendable, Hashable {
        case none
        case bytes([UInt8])
        /// `length` bytes of a file from `offset` on, read while they are sent.
        case file(path: String, offset: Int64, length: Int64)
    }

    /// What is done with 301, 302, 303, 307 and 308.
    package enum Redirects: Sendable, Hashable {
        /// As a browser does: at most 5, a POST may become a GET. For downloads; a client with a token or
        /// with fields for the lab treats this as `sameHost`.
        case follow
        /// At most 5, to the same host only, with the same method and body. For deliveries: a
        /// captive portal's "200 OK" must not be taken for the server's.
        case sameHost
    }

    /// `GET`, `POST`, `HEAD`, `PATCH`, `PUT`, `DELETE`, `OPTIONS`.
    package var method: String
    /// http or https.
    package var url: String
    /// In order; without `Host` and `Content-Length`, which follow from the rest.
    package var headers: [WireRequest.Header]
    /// Its `Content-Type` is in `headers`; a POST with `.none` is sent with a length of 0.
    package var body: Body
    /// Which redirects are followed; one that leads elsewhere makes the client throw.
    package var redirects: Redirects
    /// When it is given up, and how much of an answer is read.
    package var limits: HTTPLimits

    package init(
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
package struct HTTPLimits: Sendable, Hashable {
    /// Until the connection is open, TLS included.
    package var connect: Duration = .seconds(20)
    /// Until everything is done, and a second more for each `slowestUpload` bytes of the body.
    package var total: Duration = .seconds(300)
    /// Bytes per second; extends `total` for large bodies.
    private var slowestUpload: Int64 = 500
    /// How long it may run at fewer than `slowestRate` bytes a second; whole seconds.
    package var slow: Duration = .seconds(30)
    /// Bytes per second.
    package var slowestRate = 10
    /// An answer with more bytes is broken off.
    package var maximumResponse = 1_048_576
    /// This many first bytes of an answer are kept.
    package var keptResponse = 65_536

    package init() {}

    /// How long a request with this many bytes to send may take.
    func total(for length: Int64) -> Duration { total + .seconds(length / max(1, slowestUpload)) }

    /// For the download of a study: the whole answer is kept, up to 16 MiB.
    package static var download: HTTPLimits {
        var limits = HTTPLimits()
        limits.total = .seconds(120)
        limits.maximumResponse = 16 << 20
        limits.keptResponse = 16 << 20
        return limits
    }
}

package struct HTTPResponse: Sendable, Hashable {
    /// Three digits; of the last answer when redirects were followed.
    package let status: Int
    /// In order, of the last answer only.
    private let headers: [WireRequest.Header]
    /// The first bytes of the body, as many as the limits keep.
    package let body: [UInt8]
    /// How long a busy server (429, 503) asks to be left alone, at most an hour whatever it or a
    /// wrong clock says; nil = it does not.
    package let retryAfter: Duration?

    /// `retryAfter` in seconds, as libcurl reads it; 0 and less = nothing was asked.
    package init(status: Int, headers: [WireRequest.Header], body: [UInt8], retryAfter: Int64 = 0) {
        self.status = status
        self.headers = headers
        self.body = body
        self.retryAfter = [429, 503].contains(status) && retryAfter > 0 ? .seconds(min(retryAfter, 3600)) : nil
    }

    /// The first header field of that name, whatever its case.
    package subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
