// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Finds what a study asks in study files: `LabFolder` and `DeviceFolder` call it when they are opened.
package enum CodebookReader {
    /// The file in a folder of replaced copies that says that not every text of the study is kept.
    package static let gapNote = "NOT-ALL-KEPT"
    private static let largest = 16 << 20
    private static let mostFiles = 1000
    /// A reader for each platform, nil for a file that is not its study; a new platform adds its line here.
    private static let platforms: [@Sendable (JSONText, String) -> Codebook?] = [
        SchemaCodebook.read, ESMiraCodebook.read, MyStudiesCodebook.read,
    ]

    /// `kept` is the folder in which the receiver keeps the studies that it serves. Files that are `given`
    /// (`--study-file`) come before it: it adds the versions that these do not have, and nothing where they name no
    /// version. Throws where a given file is of another study.
    static func read(
        _ study: String, kept: String, given: [String]
    ) throws -> (codebook: Codebook, issues: [DatasetIssue]) {
        let first = try read(study, given)
        var (files, notes, issues) = (first, [String](), [DatasetIssue]())
        if first.allSatisfy(\.isOpenToVersions), !kept.isEmpty, access(kept, F_OK) == 0 {
            for path in try Self.files(below: kept) {
                do {
                    guard let file = try read(path, of: study) else { continue }
                    let rest = file.beside(first)
                    files.append(rest)
                    // Where given files answer for all, nothing is missing.
                    if !rest.items.isEmpty { notes += gapNotes(beside: path) }
                } catch {
                    issues.append(.init(.unreadable, "", "\(error)"))
                }
            }
        }
        var codebook = Codebook(joining: Codebook.numbered(files))
        issues += notes.uniqued().map { note in
            let text = "not every text of the study was kept (\(note)): a label may be that of another text"
            return DatasetIssue(.noCodebook, "", "\(text); give the missing ones with --study-file")
        }
        // A task may have had another place in what is missing.
        if !notes.isEmpty { codebook.tasksByPlace = [:] }
        return (codebook, issues)
    }

    /// The stamps of all files that `read` looks at in the folder `kept`.
    static func stamps(below kept: String) throws -> [String: FileStamp] {
        try files(below: kept).flatMap { [$0] + gapNotes(beside: $0) }.reduce(into: [:]) { $0[$1] = FileStamp($1) }
    }

    /// The gap notes that lie beside a study's file, or beside a replaced copy of it.
    private static func gapNotes(beside path: String) -> [String] {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return ["\(path).versions", "\(folder).versions", folder].map { "\($0)/\(gapNote)" }
            .filter { access($0, F_OK) == 0 }
    }

    /// What the files of a device ask, and under which version its answers have each.
    static func read(_ study: String, files: [StudyEditions.File], given: [String]) throws -> StudyEditions {
        let first = try read(study, given)
        return StudyEditions(files.map { ($0.digest, read($0.bytes, of: study)) }, given: first)
    }

    private static func read(_ study: String, _ given: [String]) throws -> [Codebook] {
        try given.flatMap { path -> [Codebook] in
            let whole = File.isFolder(path) ? sage(in: path, of: study) : nil
            let found = try whole.map { [$0] } ?? files(below: path).compactMap { try read($0, of: study) }
            guard !found.isEmpty else {
                throw FileError(
                    path: path, message: "has no questions of study \(study)",
                    remedy: "--study-file takes the file that the devices enrolled with, or its folder")
            }
            return found
        }
    }

    private static func read(_ path: String, of study: String) throws -> Codebook? {
        read(try BoundedFile.read(path, limit: largest), of: study)
    }

    /// Nil for another file, or another study. A device keeps a study of several files as one text (`StudyBundle`).
    static func read(_ bytes: [UInt8], of study: String) -> Codebook? {
        guard let root = json(bytes) else { return nil }
        let files =
            root["studyd-bundle"]?.members.compactMap { member in
                json(Array(member.value.plain.utf8)).map { (name: member.key, file: $0) }
            } ?? [(name: "", file: root)]
        let parts = files.compactMap { file in platforms.lazy.compactMap { $0(file.file, study) }.first }
        guard !parts.isEmpty else {
            return SageCodebook.read(Dictionary(files.map { ($0.name, $0.file) }) { $1 }, study)
        }
        var codebook = Codebook()
        for part in parts { codebook.add(part) }
        let named = files.lazy.compactMap { $0.file["study_version"]?.string }.first
        codebook.studyVersion = codebook.studyVersion ?? named
        return codebook
    }

    /// A study of SageResearch is all files of its folder.
    private static func sage(in folder: String, of study: String) -> Codebook? {
        var files: [String: JSONText] = [:]
        for name in FolderListing.readable(folder).prefix(mostFiles) where name.hasSuffix(".json") {
            files[name] = (try? BoundedFile.read("\(folder)/\(name)", limit: largest)).flatMap(json)
        }
        let settings = try? BoundedFile.read("\(folder)/study.toml", limit: TOMLTable.maximumSize)
        if let table = settings.flatMap({ try? TOMLTable(parsing: $0) }) { files["study.json"] = JSONText(table) }
        return SageCodebook.read(files, study)
    }

    private static func json(_ bytes: [UInt8]) -> JSONText? {
        var rules = JSONRules()
        (rules.maximumSize, rules.maximumDepth) = (largest, 128)
        // Published files of SageResearch have them.
        rules.allowsTrailingCommas = true
        return try? JSONNode(bytes, rules).value
    }

    /// The file, or every `.json` in a folder and in those that it holds, by name.
    private static func files(below path: String) throws -> [String] {
        guard File.isFolder(path) else { return [path] }
        var files: [String] = []
        for name in try FolderListing.names(in: path, most: mostFiles) where !name.hasPrefix(".") {
            let inner = "\(path)/\(name)"
            if name.hasSuffix(".json") {
                files.append(inner)
            } else if File.isFolder(inner) {
                files += FolderListing.readable(inner).filter { $0.hasSuffix(".json") }.prefix(mostFiles).map {
                    "\(inner)/\($0)"
                }
            }
        }
        return files
    }
}

extension Codebook {
    /// False where the files name no version: then nothing tells others apart from these.
    fileprivate var isOpenToVersions: Bool { items.allSatisfy { !$0.versions.isEmpty } }

    /// Without the questions of versions that `others` have.
    fileprivate func beside(_ others: [Codebook]) -> Codebook {
        let known = Dictionary(grouping: others.flatMap(\.items), by: \.task).mapValues { Set($0.flatMap(\.versions)) }
        guard !known.isEmpty else { return self }
        var rest = self
        rest.items = items.compactMap { item in
            var item = item
            item.versions.removeAll { known[item.task]?.contains($0) == true }
            return item.versions.isEmpty ? nil : item
        }
        return rest
    }
}
