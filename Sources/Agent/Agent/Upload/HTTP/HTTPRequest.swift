// SPDX-License-Identifier: Apache-2.0
import Study

package struct HTTPRequest: Sendable, Hashable {
    package enum Body: Sendable, Hashable {
        case none
        case bytes([UInt8])
        /// `length` bytes of a file from `offset` on, read while they are sent.
        case file(path: String, offset: Int64, length: Int64)

        /// In bytes; nil where there is none.
        var length: Int64? {
            switch self {
            case .none: nil
            case .bytes(let bytes): Int64(bytes.count)
            case .file(_, _, let length): length
            }
        }
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
