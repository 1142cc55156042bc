// SPDX-License-Identifier: Apache-2.0

/// A participant of a study, as the server remembers one.
struct ESMiraUser: Sendable {
    let name: String
    /// The first is 1; ids of entries begin with it.
    var number: Int
    /// When the last request of theirs was handled, ms; nil where the first one broke off: the server has begun a file and left it empty.
    var token: Int?
    /// Unix ms.
    var joined: Int
    /// Entries that have come, refused ones too.
    var datasets = 0
    var group = 0
    /// Filled-out questionnaires by their number.
    var counts: [String: Int] = [:]
    var isRewarded = false
    /// Kind and version.
    var app = ""
    /// Unix ms; -1 = never.
    var latest = -1
}
