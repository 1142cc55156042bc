// SPDX-License-Identifier: Apache-2.0

/// A column of a table of features: of the device's own file (`FeatureRecording`), or of what
/// `studyd-tools features` writes.
package struct FeatureColumn: Sendable, Hashable {
    package let name: String
    /// As other tables name it: `g`, `deg`, `dB`, `s`; `1` for counts and shares.
    package let unit: String
    package let decimals: Int

    package init(_ name: String, _ unit: String, decimals: Int) {
        (self.name, self.unit, self.decimals) = (name, unit, decimals)
    }
}
