// SPDX-License-Identifier: Apache-2.0
import Base

/// A key that one kind of destination has in its table, and what its value has to be; the configuration's
/// reader checks it.
package struct DestinationKey: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case text
        /// http or https.
        case address
        /// Whole seconds; the name of the key ends in `_seconds`.
        case duration(ClosedRange<Int>)
        /// Whole KiB; the name of the key ends in `_kib`.
        case size(ClosedRange<Int>)
        case file
        /// A file that only its owner can read, or the name of a systemd credential.
        case secret
    }

    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

/// A table `[[destination]]` of the configuration, checked.
package struct DestinationSettings: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)
    }

    /// The name under which items have this destination in the outbox; unique on the device.
    package let name: String
    package let takes: DestinationIntake
    /// A folder in which the destination may keep a file under its name; made when it is needed.
    package let folder: String
    /// The kind's own keys, as far as the table has them, each checked by its `DestinationKey`.
    private let values: [String: Value]

    package init(name: String, takes: DestinationIntake, values: [String: Value], folder: String = "") {
        self.folder = folder
        self.name = name
        self.takes = takes
        self.values = values
    }

    /// A text, an address, a path or the name of a secret; nil where the key is absent.
    package func text(_ key: String) -> String? { if case .text(let text)? = values[key] { text } else { nil } }

    package func required(_ key: String) throws(DestinationSettingError) -> String {
        guard let text = text(key), !text.isEmpty else {
            throw DestinationSettingError(key: key, cause: "is missing", remedy: "add it")
        }
        return text
    }

    package func duration(_ key: String) -> Duration? { number(key).map { .seconds($0) } }

    /// In bytes; the table has KiB.
    package func size(_ key: String) -> Int64? { number(key).map { Int64($0) << 10 } }

    private func number(_ key: String) -> Int? { if case .number(let number)? = values[key] { number } else { nil } }
}

/// What is wrong with a key that only this kind of destination has; the reader of the table adds
/// file and line.
package struct DestinationSettingError: ExplainedError, Sendable, Hashable {
    package let key: String
    package let cause: String
    package let remedy: String

    package init(key: String, cause: String, remedy: String) {
        self.key = key
        self.cause = cause
        self.remedy = remedy
    }

    package var explanation: Explanation { Explanation(place: key, cause: cause, remedy: remedy) }
}
