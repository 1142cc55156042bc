// SPDX-License-Identifier: Apache-2.0
import Lab

/// A participant of a study, as the server remembers one: `ESMiraIntake` changes it with each request,
/// `ESMiraTables` stores it.
struct ESMiraUser: Sendable {
    let name: String
    /// The first is 1; ids of entries begin with it.
    let number: Int
    /// Unix ms.
    let joined: Int
    /// When the last request with entries was handled, Unix ms; nil = there was none.
    var handled: Int?
    /// Entries that have come, refused ones too.
    var datasets = 0
    var group = 0
    /// Filled-out questionnaires by their number.
    var counts: [String: Int] = [:]
    var isRewarded = false
    /// Kind and version.
    var app = ""

    var countsJSON: JSONValue {
        .object(counts.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .int($0.value)) })
    }
}
