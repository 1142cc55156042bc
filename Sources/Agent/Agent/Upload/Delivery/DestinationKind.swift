// SPDX-License-Identifier: Apache-2.0
import Base

/// A kind of destination that a table `[[destination]]` of the configuration may name: one file in
/// `Destinations/`, and one line in `DestinationCatalog`.
package protocol DestinationKind: Destination {
    /// As `kind` of the table has it.
    static var kind: String { get }
    /// What such a destination can be sent at most; a table's `takes` may ask for less.
    static var takes: DestinationIntake { get }
    static var keys: [DestinationKey] { get }
    /// A destination of these settings; throws what is wrong with a key that only this kind has.
    init(_ settings: DestinationSettings) throws(DestinationSettingError)
}

/// What a destination is sent: `takes` of its table.
package enum DestinationIntake: String, Sendable, Hashable, CaseIterable {
    /// Submitted answers, as the bytes that the study's own server gets.
    case answers
    case recordings
    case both

    package var hasAnswers: Bool { self != .recordings }
    package var hasRecordings: Bool { self != .answers }

    package func covers(_ other: Self) -> Bool { self == .both || self == other }
}
