// SPDX-License-Identifier: Apache-2.0

/// A position in a script: both count from 1, columns in Unicode scalars.
package struct MerlinPlace: Sendable {
    package let line, column: Int
}

/// Why a script could not be read, or did not come to its end: in words, with the place.
///
/// What the app does then: a condition counts as true, a text is replaced by a remark, and the
/// problem is logged for the study's researchers.
package struct MerlinProblem: Error, Sendable, CustomStringConvertible {
    /// At which stage; the raw value heads the log that the app uploads.
    package enum Kind: String, Sendable {
        case scanning = "ScanningError"
        case parsing = "ParseError"
        case running = "RuntimeError"
    }

    package let kind: Kind
    package internal(set) var place: MerlinPlace
    /// In the app's words, as far as it has some.
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
