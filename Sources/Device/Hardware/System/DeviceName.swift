// SPDX-License-Identifier: Apache-2.0
import Base

/// How a board file names a device: by a path, or as `PREFIX:NAME` by what the kernel knows it by,
/// which stays the same when devices are numbered differently.
package struct DeviceName<Kind: DeviceKind>: Sendable, Hashable, CustomStringConvertible {
    package enum Place: Sendable, Hashable {
        /// A device file, or a link to one.
        case path(String)
        case named(String)
    }

    package let place: Place

    /// Throws when the text names no such device. Nothing is opened.
    package init(parsing text: String) throws(DeviceNameError) {
        if let name = text.suffix(after: Kind.prefix), !name.isEmpty {
            place = .named(name)
        } else if let path = Kind.path(text) {
            place = .path(path)
        } else {
            throw DeviceNameError(name: text, expected: Kind.expected)
        }
    }

    package var description: String {
        switch place {
        case .path(let path): path
        case .named(let name): Kind.prefix + name
        }
    }
}

/// The forms that names of one kind of device have.
package protocol DeviceKind: Sendable, Hashable {
    /// What begins a name that is no path, with its colon: `input:`.
    static var prefix: String { get }
    /// The accepted forms, for error messages.
    static var expected: String { get }
    /// The path of the device file that `text` names; nil where it names none.
    static func path(_ text: String) -> String?
}

extension String {
    /// What follows `prefix`; nil when the text does not begin with it.
    func suffix(after prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}

/// A name in a board file that no device can have: what is there and what was expected.
package struct DeviceNameError: ExplainedError, Sendable, Hashable {
    package let name: String
    private let expected: String

    package init(name: String, expected: String) {
        self.name = name
        self.expected = expected
    }

    package var explanation: Explanation {
        Explanation(cause: "'\(name)' is not a device name", remedy: "expected \(expected)")
    }
}
