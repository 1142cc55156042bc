// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Finds what a study asks in study files: `LabFolder` and `DeviceFolder` call it when they are opened.
enum CodebookReader {
    private static let largest = 16 << 20
    private static let mostFiles = 1000
    /// A reader for each platform, nil for a file that is not its study; a new platform adds its line here.
    private static let platforms: [@Sendable (JSONText, String) -> Codebook?] = [
        SchemaCodebook.read, ESMiraCodebook.read, MyStudiesCodebook.read,
    ]

    /// `kept` is the folder in which the receiver keeps the studies that it serves. It is read only where the
    /// files that are `given` (`--study-file`) have no questions. Throws where a given file is of another study.
    static func read(
        _ study: String, kept: String, given: [String]
    ) throws -> (codebook: Codebook, issues: [DatasetIssue]) {
        var (codebook, issues): (Codebook, [DatasetIssue]) = (Codebook(), [])
        for path in given {
            let whole = isFolder(path) ? sage(in: path, of: study) : nil
            let found = try whole.map { [$0] } ?? files(below: path).compactMap { try read($0, of: study) }
            guard !found.isEmpty else {
                throw FileError(
                    path: path, message: "has no questions of study \(study)",
                    remedy: "--study-file takes the file that the devices enrolled with, or its folder")
            }
            for part in found { codebook.add(part) }
        }
        guard codebook.items.isEmpty, !kept.isEmpty, access(kept, F_OK) == 0 else { return (codebook, issues) }
        for path in try files(below: kept) {
            do {
                if let part = try read(path, of: study) { codebook.add(part) }
            } catch {
                issues.append(.init(.unreadable, "", "\(error)"))
            }
        }
        return (codebook, issues)
    }

    /// The same from the contents of files, as a device keeps them.
    static func read(_ study: String, files: [[UInt8]], given: [String]) throws -> Codebook {
        var codebook = try read(study, kept: "", given: given).codebook
        guard codebook.items.isEmpty else { return codebook }
        for bytes in files { if let part = read(bytes, of: study) { codebook.add(part) } }
        return codebook
    }

    private static func read(_ path: String, of study: String) throws -> Codebook? {
        read(try BoundedFile.read(path, limit: largest), of: study)
    }

    /// Nil for another file, or another study. A device keeps a study of several files as one text (`StudyBundle`).
    private static func read(_ bytes: [UInt8], of study: String) -> Codebook? {
        guard let root = json(bytes) else { return nil }
        let files =
            root["studyd-bundle"]?.members.compactMap { member in
                json(Array(member.value.plain.utf8)).map { (name: member.key, file: $0) }
            } ?? [(name: "", file: root)]
        let parts = files.compactMap { file in platforms.lazy.compactMap { $0(file.file, study) }.first }
        guard var codebook = parts.first else {
            return SageCodebook.read(Dictionary(files.map { ($0.name, $0.file) }) { $1 }, study)
        }
        for part in parts.dropFirst() { codebook.add(part) }
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
        guard isFolder(path) else { return [path] }
        var files: [String] = []
        for name in try FolderListing.names(in: path, most: mostFiles) where !name.hasPrefix(".") {
            let inner = "\(path)/\(name)"
            if name.hasSuffix(".json") {
                files.append(inner)
            } else if isFolder(inner) {
                files += FolderListing.readable(inner).filter { $0.hasSuffix(".json") }.prefix(mostFiles).map {
                    "\(inner)/\($0)"
                }
            }
        }
        return files
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

extension Codebook {
    fileprivate mutating func add(_ part: Codebook) {
        title = title ?? part.title
        instructions = instructions ?? part.instructions
        ethics = ethics ?? part.ethics
        let known = Set(items.map { [$0.task, $0.item] })
        items += part.items.filter { !known.contains([$0.task, $0.item]) }
        tasksByPlace.merge(part.tasksByPlace) { old, _ in old }
    }
}

/// Words of a study, without markup.
enum PlainWords {
    /// Tags that stand within a line.
    private static let inline: Set = ["b", "i", "u", "em", "strong", "span", "font", "a", "sub", "sup", "small"]

    /// The text without HTML tags, and with single spaces.
    static func of(_ value: JSONText?) -> String {
        var (text, rest) = ("", (value?.plain ?? "")[...])
        while let start = rest.firstIndex(of: "<") {
            let name = rest[rest.index(after: start)...].drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            // `3 < 4` is no tag.
            guard !name.isEmpty, let end = rest[start...].firstIndex(of: ">") else {
                text += rest[...start]
                rest = rest[rest.index(after: start)...]
                continue
            }
            text += rest[..<start] + (inline.contains(name.lowercased()) ? "" : " ")
            rest = rest[rest.index(after: end)...]
        }
        text += rest
        for (entity, sign) in [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
            text = text.replacing(entity, with: sign)
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
