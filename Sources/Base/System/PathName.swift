// SPDX-License-Identifier: Apache-2.0
import Base

/// Names of participants and files as parts of a path, in a dataset that the lab exports.
package enum PathName {
    /// Bytes. File systems take 255; the rest is for the suffix of a file that is still being written.
    private static let longest = 200

    /// Letters, digits, `_`, `-` and `.`, but no `.` at the beginning; every other byte as `%2F`. What is too long for
    /// a file system ends with `~` and 16 digits of its SHA-256. Different names stay different.
    package static func safe(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let isMark = "_-".utf8.contains(byte) || byte == UInt8(ascii: ".") && !text.isEmpty
            text +=
                byte.isASCIILetter || byte.isASCIIDigit || isMark
                ? String(Unicode.Scalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }
        guard text.utf8.count <= longest else {
            let digest = Digest.sha256(Array(name.utf8)).hexadecimal
            return String(text.prefix(longest - 17)) + "~" + String(digest.prefix(16))
        }
        return text.isEmpty ? "%" : text
    }
}
