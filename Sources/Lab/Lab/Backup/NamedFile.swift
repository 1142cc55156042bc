// SPDX-License-Identifier: Apache-2.0

/// A file that a row of `receiver.sqlite` names (`ArchiveCopy`), which `Backup` copies and `Restore` checks. It
/// lies at one of `paths`.
struct NamedFile: Sendable {
    let paths: [String]
    let sha256: String
    let user: String

    static func missing(_ named: [NamedFile], among files: [LabFile]) -> [NamedFile] {
        let there = Set(files.map(\.path))
        return named.filter { $0.paths.allSatisfy { !there.contains($0) } }
    }

    static let isMissing = "is missing"

    func says(_ what: String) -> String { "\(paths[0])\(user.isEmpty ? "" : " of \(user)"): \(what)" }
}
