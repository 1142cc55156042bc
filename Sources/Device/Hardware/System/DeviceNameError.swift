// SPDX-License-Identifier: Apache-2.0
import Base

/// A name in a board file that no device can have: what is there and what was expected.
package struct DeviceNameError: ExplainedError, Sendable, Hashable {
    package let name: String
    /// What would be right, for people.
    private let expected: String

    package init(name: String, expected: String) {
        self.name = name
        self.expected = expected
    }

    package var explanation: Explanation {
        Explanation(cause: "'\(name)' is not a device name", remedy: "expected \(expected)")
    }
}
