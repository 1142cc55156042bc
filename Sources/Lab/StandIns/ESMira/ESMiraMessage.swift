// SPDX-License-Identifier: Apache-2.0
import Lab

/// A message of either side.
struct ESMiraMessage: Sendable {
    var id: Int64 = 0
    let user: String
    /// An account, or the participant.
    let sender: String
    let content: String
    /// Unix ms.
    let sent: Int
    /// Waits for the app: it has not said yet that the message came.
    var isPending: Bool
    /// How often it was handed out.
    var delivered = 0
    /// Unix ms; 0 = never.
    var read = 0

    var isOfParticipant: Bool { sender == user }

    /// As the server hands it out.
    func json(from sender: String) -> JSONValue {
        .members([
            "from": .string(sender), "content": .string(content), "sent": .int(sent), "pending": .boolean(isPending),
            "unread": .boolean(isOfParticipant), "archived": .boolean(!isPending && !isOfParticipant),
            "delivered": .int(delivered), "read": .int(read),
        ])
    }
}
