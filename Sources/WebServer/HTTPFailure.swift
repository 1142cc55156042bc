// SPDX-License-Identifier: Apache-2.0

/// A refusal with its status code. A handler throws it; the server answers it as plain text.
public struct HTTPFailure: Error, Sendable, CustomStringConvertible {
    /// 400...599.
    public let status: Int
    /// What was wrong and what to do, in plain words; the client reads it.
    public let reason: String
    /// Further fields of the answer, such as `Allow`.
    public let fields: HTTPFields

    public init(_ status: Int, _ reason: String, fields: HTTPFields = [:]) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }

    /// `413: the body is longer than 1000 bytes`.
    public var description: String { "\(status): \(reason)" }
}
