// SPDX-License-Identifier: Apache-2.0

/// The name of a format that a recording can be exported to, as it is typed after `--to` of
/// `studyd-tools export`.
package struct ExportFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// `csv`.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}
