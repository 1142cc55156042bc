// SPDX-License-Identifier: Apache-2.0

/// A name in a board file that no device can have: what stands there and what was expected.
public struct DeviceNameError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stands there.
    public let name: String
    /// What would be right, for people.
    public let expected: String

    public init(name: String, expected: String) {
        self.name = name
        self.expected = expected
    }

    /// Quotes the name and says what was expected.
    public var description: String { "'\(name)' is no device name here: expected \(expected)" }
}
