// SPDX-License-Identifier: Apache-2.0

/// A refusal with its status code. A handler throws it; the server answers it as plain text.
package struct HTTPFailure: Error, Sendable, CustomStringConvertible {
    /// 400...599.
    package let status: Int
    /// What was wrong and what to do, in plain words; the client reads it.
    package let reason: String
    /// Further fields of the answer, such as `Allow`.
    package let fields: HTTPFields

    package init(_ status: Int, _ reason: String, fields: HTTPFields = [:]) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }

    /// `413: the body is longer than 1000 bytes`.
    package var description: String { "\(status): \(reason)" }
}
