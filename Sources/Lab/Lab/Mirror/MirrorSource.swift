// SPDX-License-Identifier: Apache-2.0

/// Where files lie under `study/participant/enrolment/file`: a bucket, or a stick. Its methods block:
/// `Mirror` calls them on threads of its queues.
protocol MirrorSource: Sendable {
    var name: String { get }
    /// Where it lies, from wherever that is asked: another for each bucket of each server, and for each folder.
    var address: String { get }
    /// What is there, a part at a time, since there may be millions; nil = the first part.
    func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?)
    /// Each entry should have a SHA-256 among its labels.
    var hasDigests: Bool { get }
    /// What is wrong where nothing is listed; nil where that may be.
    var problemIfEmpty: String? { get }
    /// Folders of which nothing is listed, and why.
    func listingProblems() -> [String]
    /// What is known of an entry besides its name, and up to that many of its first bytes.
    func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead
    /// Up to that many of its bytes; fewer only at its end.
    func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8]
    /// The same for another thread, with its own connection where there is one.
    func separateConnection() -> any MirrorSource
}

extension MirrorSource {
    var address: String { name }
    var hasDigests: Bool { false }
    var problemIfEmpty: String? { nil }
    func listingProblems() -> [String] { [] }
}

/// Why one thing is not taken; the others are.
struct MirrorProblem: Error { let words: String }
