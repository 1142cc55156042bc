// SPDX-License-Identifier: Apache-2.0
import Lab

/// A message between a participant and an account of the server, as `ESMiraTables` stores it.
struct ESMiraMessage: Sendable {
    var id: Int64 = 0
    let user: String
    /// The name of an account, or `user`.
    let sender: String
    let content: String
    /// Unix ms.
    let sent: Int
    /// The message is still to be delivered: the app has not confirmed it.
    let isPending: Bool
    /// How often it was handed out.
    var delivered = 0
    /// Unix ms; 0 = never.
    var read = 0

    var isOfParticipant: Bool { sender == user }

    /// The message as the server sends it, with `sender` as the name shown.
    func json(from sender: String) -> JSONValue {
        .members([
            "from": .string(sender), "content": .string(content), "sent": .int(sent), "pending": .boolean(isPending),
            "unread": .boolean(isOfParticipant), "archived": .boolean(!isPending && !isOfParticipant),
            "delivered": .int(delivered), "read": .int(read),
        ])
    }
}
