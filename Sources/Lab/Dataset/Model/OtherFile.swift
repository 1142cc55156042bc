// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A file that came and is no recording: a greeting, a picture, an archive, or one of a kind that studyd does
/// not send. `DatasetExport` copies it to `files/` and lists it in `files.csv`.
package struct OtherFile: Sendable, Hashable {
    package let name: String
    /// In the sender's words; empty where nothing was said.
    package let kind: String
    /// The path of the file that is copied into the dataset.
    package let source: String
    package let bytes: Int64
    package let sha256: String
    /// Opens a file that is encrypted at `source`; name, size and digest are then those of its content.
    package var key: CMSKey?

    /// The file's path within `files/` of the dataset. Files of one name differ by their
    /// digest.
    package func place(of participant: Participant) -> String {
        "\(PathName.safe(participant.id))/\(sha256.prefix(8))-\(PathName.safe(name))"
    }
}
