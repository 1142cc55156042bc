// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a server answered, as `HTTPClient` gives it: the last answer of all redirects.
package struct HTTPResponse: Sendable, Hashable {
    /// Three digits.
    package let status: Int
    /// In order.
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

    var json: JSONNode? { try? JSONNode(body) }

    /// The first header field of that name, whatever its case.
    package subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
