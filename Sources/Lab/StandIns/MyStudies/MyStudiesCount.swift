// SPDX-License-Identifier: Apache-2.0

/// How many runs of one version of an activity came.
struct MyStudiesCount: Sendable {
    let study: String
    let activity: String
    let version: String
    let runs: Int
    let participants: Int
}
