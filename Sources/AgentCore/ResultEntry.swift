// SPDX-License-Identifier: Apache-2.0
import Store
import StudyModel
import SystemKit
import Times

/// The tree of a submitted run that is to be kept as a file of its own.
package struct ResultEntry: Sendable, Hashable {
    /// Whose it is.
    package let enrolment: String
    /// Of the file, without folder.
    package let name: String
    private let tree: JSONText

    /// The tree of that run of that task; `run` counts from 1.
    package init(enrolment: String, task: String, run: Int, tree: JSONText) {
        self.enrolment = enrolment
        name = "\(Self.fileName(of: task))-\(run).json"
        self.tree = tree
    }

    /// The file's bytes: JSON, and the end of a line. Made where it is written, so that nothing that is decided waits for it.
    package var content: [UInt8] { Array((tree.text + "\n").utf8) }

    /// A key of a study may hold anything, a slash for one: what is no letter, digit, `_` or `.` within is written in hexadecimal.
    package static func fileName(of key: String) -> String {
        let name = key.utf8.enumerated().map { index, byte -> String in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_" || scalar == "-" || scalar == "." && index > 0
            return isPlain ? String(scalar) : "=" + byte.padded(2, radix: 16)
        }.joined()
        // File names have an end; two long keys that begin alike stay two.
        guard name.utf8.count > 120, let digest = try? Digest(of: Array(key.utf8)) else { return name }
        return name.prefix(80) + "=" + digest.description.prefix(32)
    }
}
