// SPDX-License-Identifier: Apache-2.0
import Base

/// Names of participants and files as parts of a path.
package enum PathName {
    /// Letters, digits, `_`, `-` and `.`, but no `.` at the beginning; every other byte as `%2F`.
    /// Different names stay different.
    package static func safe(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            let isMark = scalar == "_" || scalar == "-" || (scalar == "." && !text.isEmpty)
            text += isPlain || isMark ? String(Character(scalar)) : "%" + [byte].hexadecimal.uppercased()
        }
        return text.isEmpty ? "%" : text
    }
}
