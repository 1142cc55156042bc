// SPDX-License-Identifier: Apache-2.0

/// The name of what a recording can become, as it is typed behind `--to`. What it is says its
/// exporter.
package struct ExportFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// `csv`.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}
