// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A file that came and is no recording: a greeting, a picture, an archive, or one
/// of a kind that studyd does not send.
package struct OtherFile: Sendable, Hashable {
    package let name: String
    /// In the sender's words; empty where nothing was said.
    package let kind: String
    package let source: String
    package let bytes: Int64
    package let sha256: String
    /// It lies encrypted at its source; name, size and digest are those of what this key opens.
    package var key: CMSKey?

    package init(name: String, kind: String, source: String, bytes: Int64, sha256: String) {
        (self.name, self.kind, self.source, self.bytes, self.sha256) = (name, kind, source, bytes, sha256)
    }

    /// Where it lies in the dataset, without `files/`. Files of one name differ by their
    /// digest.
    package func place(of participant: Participant) -> String {
        "\(PathName.safe(participant.id))/\(sha256.prefix(8))-\(PathName.safe(name))"
    }
}
