// SPDX-License-Identifier: Apache-2.0

/// The name of a form in which measures are kept, as descriptions have it: it never changes. Its `FormatKind`
/// says what the form is; `studyd.toml` chooses one for each measure.
package struct RecordingFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// `cwa`.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}
