// SPDX-License-Identifier: Apache-2.0

/// A number of bytes for people, in the decimal units of disks: `640 B`, `36.9 MB`.
package enum ByteText {
    private static let units = ["kB", "MB", "GB", "TB"]

    /// One digit after the point from kB on, cut.
    package static func of(_ bytes: Int64) -> String {
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes / 100, 0)
        while tenths.magnitude >= 10_000, unit + 1 < units.count { (tenths, unit) = (tenths / 1000, unit + 1) }
        return "\(tenths / 10).\((tenths % 10).magnitude) \(units[unit])"
    }
}
