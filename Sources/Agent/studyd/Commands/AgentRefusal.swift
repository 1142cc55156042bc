// SPDX-License-Identifier: Apache-2.0

/// What the running agent refused, in its own words.
struct AgentRefusal: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
