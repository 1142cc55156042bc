// SPDX-License-Identifier: Apache-2.0

/// A study as it was found, for a platform's `StudyReader`: one file, or the files of a folder.
package struct StudySource: Sendable {
    package struct File: Sendable {
        /// Its path within the folder.
        package let name: String
        /// The contents, unchanged; readers bound their size and depth.
        package let bytes: [UInt8]
        package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }
    /// At least one.
    package let files: [File]
    /// What the reader chooses where the platform's own apps differ.
    package var options = StudyOptions()

    package init(files: [File]) { self.files = files }
    /// A single file or an answer of a server.
    package init(_ bytes: [UInt8], name: String = "study.json") { files = [File(name: name, bytes: bytes)] }
}
