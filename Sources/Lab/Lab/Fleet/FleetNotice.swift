// SPDX-License-Identifier: Apache-2.0

/// A `FleetChange` that waits on the disk until the webhook has taken it; its texts are those of the change.
struct FleetNotice: Sendable, Hashable {
    let id: Int64
    let title: String
    let body: String
    let priority: Int
    let tags: String
    let attempts: Int
}
