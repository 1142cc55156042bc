// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

extension ResultEntry {
    /// The name of its file, without folder: `Q-4.json`, and `Q=v2-4.json` with the second numbers of that task.
    package var name: String { "\(Self.fileName(of: task))\(numbering > 1 ? "=v\(numbering)" : "")-\(run).json" }

    /// A key of a study may hold anything, a slash for one: everything but ASCII letters, digits, `_`,
    /// `-` and `.` (not as the first) is written in hexadecimal, `=2F`.
    package static func fileName(of key: String) -> String {
        let name = key.utf8.enumerated().map { index, byte -> String in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_" || scalar == "-" || scalar == "." && index > 0
            return isPlain ? String(scalar) : "=" + byte.padded(2, radix: 16)
        }.joined()
        // File names have a maximum length; two long keys that begin alike stay apart.
        guard name.utf8.count > 120, let digest = try? Digest(of: Array(key.utf8)) else { return name }
        return name.prefix(80) + "=" + digest.description.prefix(32)
    }
}
