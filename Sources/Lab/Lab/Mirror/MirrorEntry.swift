// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A file in a `MirrorSource`, as listed.
struct MirrorEntry: Sendable, Hashable {
    /// Its path in the source.
    let key: String
    let bytes: Int64
    let modified: Instant
    /// Changes with the content: a bucket's ETag, a stick's modification time.
    let version: String

    /// Changes with its key, size and version.
    var id: String {
        get throws { try Digest(ofText: "\(key)\n\(bytes)\n\(version)").description }
    }

    /// The last four parts of its key; nil for what lies elsewhere.
    var place: (study: String, participant: String, enrolment: String, file: String)? {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, !parts.suffix(4).contains("") else { return nil }
        let last = Array(parts.suffix(4))
        return (last[0], last[1], last[2], last[3])
    }

    /// A part of its place is no name: as a folder it would be another one.
    var isPathTraversal: Bool {
        guard let place else { return false }
        return [place.study, place.participant, place.enrolment, place.file].contains { part in
            [".", ".."].contains(PercentCode.decoded(part, plusIsSpace: false) ?? part)
        }
    }

    /// The file's name, without the `~2` that tells different contents of one name apart.
    var fileName: String {
        let file = place?.file ?? ""
        guard let mark = file.lastIndex(of: "~"), file[file.index(after: mark)...].allSatisfy(\.isNumber) else {
            return file
        }
        return String(file[..<mark])
    }
}

/// The metadata of an entry, and its first bytes, by which `Mirror` decides what it is.
struct MirrorHead: Sendable, Hashable {
    /// `study`, `participant`, `sha256`, …
    let labels: [String: String]
    let bytes: [UInt8]
}
