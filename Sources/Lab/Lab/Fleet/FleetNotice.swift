// SPDX-License-Identifier: Apache-2.0

/// A `FleetChange` that waits on the disk until the webhook has taken it; its texts are those of the change.
/// `FleetWatch` writes it, and `FleetService` has `Webhook` send it.
struct FleetNotice: Sendable, Hashable {
    let id: Int64
    let title: String
    let body: String
    /// As ntfy counts: from 1 to 5, where 5 is the most urgent.
    let priority: Int
    /// For ntfy, with commas between: the name of an emoji, and the kind of `Attention`.
    let tags: String
    let attempts: Int
}
