// SPDX-License-Identifier: Apache-2.0
import Base

/// What is known of a device at a glance. It is known by the participant's id in what it sends.
struct DeviceSummary: Sendable {
    let user: String
    let lastContact: Instant
    /// Records of either kind; `duplicates` and `warned` count those of them that are marked so.
    let answers: Int
    let logs: Int
    let duplicates: Int
    let warned: Int
    /// Complete uploads, and unfinished ones.
    let files: Int
    let partial: Int
    /// Bytes of records and files, as far as they have come.
    let bytes: Int64
}
