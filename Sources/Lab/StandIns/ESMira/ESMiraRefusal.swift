// SPDX-License-Identifier: Apache-2.0
import Lab

/// An error of a whole request, and the envelope around every answer; all come with status 200.
struct ESMiraRefusal: Error, Hashable {
    let message: String

    /// The current protocol.
    static let version = 11

    /// The server itself has no such refusal. Its word lets studyd try again later.
    static let locked = ESMiraRefusal("This participant is locked")

    init(_ message: String) { self.message = message }

    var json: JSONValue {
        .members([
            "success": .boolean(false), "serverVersion": .int(Self.version), "error": .string(message),
            "errorCode": .int(0),
        ])
    }

    static func success(_ dataset: JSONValue) -> JSONValue {
        .members(["success": .boolean(true), "serverVersion": .int(Self.version), "dataset": dataset])
    }
}
