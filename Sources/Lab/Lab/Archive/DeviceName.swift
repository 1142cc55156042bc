// SPDX-License-Identifier: Apache-2.0

/// What a device is known by: the participant's id in what it sends, and other names of that kind.
enum DeviceName {
    /// Characters. The platform's sample database holds 30 of an id.
    static let longest = 200

    /// Why a longer one is refused.
    static func refusal(_ field: String) -> String { "\(field) is longer than \(longest) characters" }
}
