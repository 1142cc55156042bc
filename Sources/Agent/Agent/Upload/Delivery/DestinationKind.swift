// SPDX-License-Identifier: Apache-2.0
import Base

/// A kind of destination that a table `[[destination]]` of the configuration may name: one file in
/// `Destinations/`, and one line in `DestinationCatalog`.
package protocol DestinationKind: Destination {
    /// As `kind` of the table has it.
    static var kind: String { get }
    /// The most that it can take.
    static var takes: DestinationIntake { get }
    /// The keys of the table that are its own; their values are texts.
    static var keys: [String] { get }
    /// A destination of these settings; throws what is wrong with one of its own keys.
    init(_ settings: DestinationSettings) throws(DestinationSettingError)
}

/// What a destination is sent: `takes` of its table.
package enum DestinationIntake: String, Sendable, Hashable, CaseIterable {
    /// Submitted answers, as the bytes that the study's own server gets.
    case answers
    case recordings
    case both

    /// Whether answers are among it.
    package var hasAnswers: Bool { self != .recordings }
    /// Whether recordings are among it.
    package var hasRecordings: Bool { self != .answers }

    /// Whether all of `other` is among it.
    package func covers(_ other: Self) -> Bool { self == .both || self == other }
}

/// What a table `[[destination]]` says.
package struct DestinationSettings: Sendable, Hashable {
    /// What items name as their destination, unique on the device. It stays in outboxes.
    package let name: String
    package let takes: DestinationIntake
    /// The kind's own keys, as far as the table has them.
    private let values: [String: String]

    package init(name: String, takes: DestinationIntake, values: [String: String]) {
        self.name = name
        self.takes = takes
        self.values = values
    }

    /// The value of a key that has to be there.
    package func required(_ key: String) throws(DestinationSettingError) -> String {
        guard let value = values[key], !value.isEmpty else {
            throw DestinationSettingError(key: key, cause: "is missing", remedy: "add it")
        }
        return value
    }

    /// The value of a key that has to be there and is an address of the web.
    package func address(_ key: String) throws(DestinationSettingError) -> String {
        let url = try required(key)
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw DestinationSettingError(
                key: key, cause: "'\(url)' is not an address", remedy: "use one that begins with https:// or http://")
        }
        return url
    }
}

/// What is wrong with one of a destination's own keys; whoever read the table adds file and line.
package struct DestinationSettingError: ExplainedError, Sendable, Hashable {
    package let key: String
    package let cause: String
    /// What to do about it.
    package let remedy: String

    package var explanation: Explanation { Explanation(place: key, cause: cause, remedy: remedy) }
}
