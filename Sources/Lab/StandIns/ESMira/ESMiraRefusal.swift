// SPDX-License-Identifier: Apache-2.0
import Lab

/// A refusal of a whole request, which `ESMiraAPI` throws and `ESMiraRoutes` answers. Its answer has status
/// 200, as every answer of ESMira's server.
struct ESMiraRefusal: Error, Hashable {
    let message: String

    /// The server itself has no such refusal. Its word lets studyd try again later.
    static let locked = ESMiraRefusal("This participant is locked")

    init(_ message: String) { self.message = message }

    var json: JSONValue {
        .members([
            "success": .boolean(false), "serverVersion": .int(ESMiraAPI.protocolVersion), "error": .string(message),
            "errorCode": .int(0),
        ])
    }
}
