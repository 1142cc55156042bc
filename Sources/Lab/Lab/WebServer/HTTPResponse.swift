// SPDX-License-Identifier: Apache-2.0
import Base

/// Content that is made while it is sent. One task calls `begin` and then `next`; `stop` may come from any
/// thread, any number of times, also while another call is under way.
package protocol ServedStream: AnyObject, Sendable {
    /// Begins; throws `HTTPFailure` where there is nothing to send.
    func begin() async throws
    /// Some of it; nil at its end. Throws where it breaks off, which the client then sees.
    func next() async throws -> [UInt8]?
    /// The client has all of it, or is gone.
    func stop()
}

/// One answer, as a route's handler returns it. The server adds `Content-Length` and `Connection` itself, and
/// leaves the content out for HEAD.
package struct HTTPResponse: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A file, read in pieces of 64 KiB while the client takes them. Missing: 404.
        case file(path: String)
        /// What is made while it is sent, of a length that is not known yet.
        case stream(any ServedStream)
        /// No answer at all: the connection is closed. For trying out how a client copes.
        case hangUp
    }

    /// 200...599.
    package var status: Int
    package var fields: HTTPFields
    package var content: Content

    package init(_ status: Int, fields: HTTPFields = [:], content: Content = .bytes([])) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// An answer of text; `type` is its media type.
    package static func text(_ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8") -> Self {
        Self(status, fields: ["Content-Type": type], content: .bytes(Array(text.utf8)))
    }

    package static func json(_ value: JSONValue, status: Int = 200) -> Self {
        text(value.text + "\n", status: status, type: "application/json")
    }
}

/// A refusal with its status code. A handler throws it; the server answers it as plain text.
package struct HTTPFailure: Error, Sendable, CustomStringConvertible {
    /// 400...599.
    package let status: Int
    /// What was wrong and what to do, in plain words; the client reads it.
    package let reason: String
    package var fields: HTTPFields

    package init(_ status: Int, _ reason: String, fields: HTTPFields = [:]) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }

    /// `413: the body is longer than 1000 bytes`.
    package var description: String { "\(status): \(reason)" }
}
