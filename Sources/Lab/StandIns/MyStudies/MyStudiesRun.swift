// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// A run as it was sent, and what the Response server has made of it, as `MyStudiesStore` keeps it.
struct MyStudiesRun: Sendable {
    enum Status: Int64, Sendable { case pending, processed, error }

    let id: Int64
    let study: String
    let activity: String
    let version: String
    let body: [UInt8]
    let received: Instant
    let status: Status
    let errors: [String]
    /// The participant's six hexadecimal digits.
    let short: String

    var root: JSONValue { (try? JSONReader.value(String(decoding: body, as: UTF8.self), depthLimit: 64)) ?? .null }
}

/// How many runs of one version of an activity came, for the `MyStudiesCard`.
struct MyStudiesCount: Sendable {
    let study: String
    let activity: String
    let version: String
    let runs: Int
    let participants: Int
}
