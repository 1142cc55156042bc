// SPDX-License-Identifier: Apache-2.0

/// A message of either side.
struct ESMiraMessage: Sendable {
    /// `pending` waits for the app, `unread` for the researcher.
    enum State: Int, Sendable {
        case pending, unread, archived
    }

    var id: Int64 = 0
    let user: String
    /// An account, or the participant.
    let sender: String
    let content: String
    /// Unix ms.
    let sent: Int
    var state: State
    /// How often it was handed out.
    var delivered = 0
    /// Unix ms; 0 = never.
    var read = 0

    /// As the server hands it out.
    func json(from sender: String) -> JSONValue {
        .members([
            "from": .string(sender), "content": .string(content), "sent": .int(sent),
            "pending": .boolean(state == .pending),
            "unread": .boolean(state == .unread), "archived": .boolean(state == .archived),
            "delivered": .int(delivered),
            "read": .int(read),
        ])
    }
}
