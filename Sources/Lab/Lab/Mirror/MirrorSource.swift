// SPDX-License-Identifier: Apache-2.0
import Base

/// Where files lie under `study/participant/enrolment/file`: a bucket, or a stick. Its methods block:
/// `Mirror` calls them on side threads.
protocol MirrorSource: Sendable {
    /// In words, for messages.
    var name: String { get }
    /// Where it lies, from wherever that is asked: another for each bucket of each server, and for each folder.
    var address: String { get }
    /// What is there, a part at a time, since there may be millions; nil = the first part.
    func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?)
    /// Each entry should have a SHA-256 among its labels.
    var hasDigests: Bool { get }
    /// What is wrong where nothing is listed; nil where that may be.
    var emptiness: String? { get }
    /// Folders that cannot be listed, and why.
    func unlisted() -> [String]
    /// What is known of an entry besides its name, and up to that many of its first bytes.
    func opening(of entry: MirrorEntry, count: Int) throws -> MirrorOpening
    /// Up to that many of its bytes; fewer only at its end.
    func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8]
    /// The same for another thread, with its own connection where there is one.
    func another() -> any MirrorSource
}

extension MirrorSource {
    var address: String { name }
    var hasDigests: Bool { false }
    var emptiness: String? { nil }
    func unlisted() -> [String] { [] }
}

/// The metadata of an entry, and its first bytes.
struct MirrorOpening: Sendable, Hashable {
    /// `study`, `participant`, `sha256`, …
    let labels: [String: String]
    let bytes: [UInt8]
}

/// A file in a source, as listed.
struct MirrorEntry: Sendable, Hashable {
    /// Its path in the source.
    let key: String
    let bytes: Int64
    let modified: Instant
    /// Changes with the content: a bucket's ETag, a stick's modification time.
    let version: String

    /// The last four parts of its key; nil for what lies elsewhere.
    var place: (study: String, participant: String, enrolment: String, file: String)? {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, !parts.suffix(4).contains("") else { return nil }
        let last = Array(parts.suffix(4))
        return (last[0], last[1], last[2], last[3])
    }

    /// A part of its place is no name: as a folder it would be another one.
    var leadsElsewhere: Bool {
        guard let place else { return false }
        return [place.study, place.participant, place.enrolment, place.file].contains { part in
            [".", ".."].contains(percentDecoded(part, plusIsSpace: false) ?? part)
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
