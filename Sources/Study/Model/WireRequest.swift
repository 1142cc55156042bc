// SPDX-License-Identifier: Apache-2.0

/// One HTTP request, complete: built once, by a `ReportWriter` for example, kept in the outbox as bytes, sent
/// again and again identically.
package struct WireRequest: Sendable, Hashable {
    /// The HTTP method in capitals: `POST`.
    package let method: String
    /// Absolute address; empty while neither study nor enrolment names one: the request then waits.
    package let url: String
    /// In order; no `Content-Length`, no `Host`.
    package let headers: [Header]
    /// As sent, already encoded as the headers say; empty where the method has none.
    package let body: [UInt8]
    /// What the body is to be packed of before it is kept; nil = it is there.
    package var archive: WireArchive?
    /// The X.509 certificate (PEM) to which the body is to be encrypted before it is kept; nil = it
    /// is sent as it is.
    package var recipient: String?

    package struct Header: Sendable, Hashable {
        /// As sent; compared without regard to case by those who receive it.
        package let name: String
        /// As sent, without line breaks.
        package let value: String
        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package init(method: String, url: String, headers: [Header], body: [UInt8]) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}
