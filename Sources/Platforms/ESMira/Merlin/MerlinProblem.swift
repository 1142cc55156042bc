// SPDX-License-Identifier: Apache-2.0

/// A position in a script: both count from 1, columns in Unicode scalars.
package struct MerlinPlace: Sendable {
    package let line, column: Int
}

/// Why a script in Merlin, ESMira's language, could not be read or failed while running.
///
/// The app then counts a condition as true, shows an error in place of a text, and logs the problem
/// for the study's researchers.
package struct MerlinProblem: Error, Sendable, CustomStringConvertible {
    /// At which stage; the raw value heads the log that the app uploads.
    package enum Kind: String, Sendable {
        case scanning = "ScanningError"
        case parsing = "ParseError"
        case running = "RuntimeError"
    }

    package let kind: Kind
    package internal(set) var place: MerlinPlace
    /// Worded as in the app where the app has a message for it.
    package let message: String
    /// The variables at that moment, a line each; empty before the script ran.
    package internal(set) var variables = ""

    init(_ kind: Kind, _ place: MerlinPlace, _ message: String) {
        self.kind = kind
        self.place = place
        self.message = message
    }

    package var description: String { "line \(place.line), column \(place.column): \(message)" }
}
