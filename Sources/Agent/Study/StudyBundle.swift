// SPDX-License-Identifier: Apache-2.0
import Glibc
import StudyFormats
import StudyModel
import SystemKit
import TOML

/// A study of several files as one text, so that it can be kept as it was found: its JSON files, and what was chosen where the
/// platform's apps differ.
public enum StudyBundle {
    /// More files, or larger ones in all, are no study.
    static let mostFiles = 2_000
    static let mostBytes = 32 << 20

    /// True for a folder, which is read as one study.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The files of a folder: every `.json`, and `study.toml` as `study.json`.
    public static func folder(_ path: String) throws -> [StudySource.File] {
        var files: [StudySource.File] = []
        var left = mostBytes
        for name in try names(in: path).sorted() {
            let bytes = try BoundedFile.read(path + "/" + name, limit: left)
            left -= bytes.count
            if name == "study.toml" {
                files.append(.init(name: "study.json", bytes: try json(bytes, path + "/" + name)))
            } else {
                files.append(.init(name: name, bytes: bytes))
            }
        }
        guard !files.isEmpty else {
            throw FileFault(path: path, message: "holds no .json file; a study's folder has one for each activity")
        }
        return files
    }

    /// The one text.
    public static func bytes(_ files: [StudySource.File], options: StudyOptions) -> [UInt8] {
        let members = files.map { JSONText.Member($0.name, .string(String(decoding: $0.bytes, as: UTF8.self))) }
        var chosen: [JSONText.Member] = [
            .init("policy", .string(options.policy.rawValue)),
            .init("comparesLikeTheApp", .boolean(options.comparesLikeTheApp)),
            .init("horizon", .integer(Int64(options.horizon))),
        ]
        if let timeouts = options.timeouts { chosen.append(.init("timeouts", .string(timeouts.rawValue))) }
        if options.sendsMomentumLogs { chosen.append(.init("momentumLogs", .boolean(true))) }
        if let language = options.language { chosen.append(.init("language", .string(language))) }
        let bundle: [JSONText.Member] = [
            .init("studyd-bundle", .object(members)), .init("options", .object(chosen)),
        ]
        return Array(JSONText.object(bundle).text.utf8)
    }

    /// The files again; nil where the text is no bundle but a study itself.
    public static func source(_ bytes: [UInt8]) -> StudySource? {
        guard bytes.starts(with: Array("{\"studyd-bundle\":".utf8)), let root = try? JSONNode(bytes),
            case .object(let members)? = root["studyd-bundle"]?.content
        else { return nil }
        var source = StudySource(
            files: members.compactMap { member in
                guard case .string(let text) = member.value.content else { return nil }
                return .init(name: member.key, bytes: Array(text.utf8))
            })
        source.options = options(root["options"])
        return source
    }

    private static func options(_ node: JSONNode?) -> StudyOptions {
        var options = StudyOptions()
        if case .string(let text)? = node?["policy"]?.content { options.policy = .init(rawValue: text) ?? .ios }
        if case .boolean(let value)? = node?["comparesLikeTheApp"]?.content { options.comparesLikeTheApp = value }
        if case .number(let text)? = node?["horizon"]?.content { options.horizon = Int(text) ?? options.horizon }
        if case .string(let text)? = node?["timeouts"]?.content { options.timeouts = .init(rawValue: text) }
        if case .boolean(let value)? = node?["momentumLogs"]?.content { options.sendsMomentumLogs = value }
        if case .string(let text)? = node?["language"]?.content { options.language = text }
        return options
    }

    private static func names(in path: String) throws -> [String] {
        let names: [String]
        do {
            names = try FolderListing.names(in: path, most: mostFiles) { $0.hasSuffix(".json") || $0 == "study.toml" }
        } catch {
            throw FileFault(path: path, message: String(cString: strerror(error.code)))
        }
        guard names.count <= mostFiles else {
            throw FileFault(path: path, message: "holds more than \(mostFiles) files")
        }
        return names
    }

    private static func json(_ bytes: [UInt8], _ path: String) throws -> [UInt8] {
        do {
            return Array(json(try TOMLTable(parsing: bytes)).text.utf8)
        } catch {
            throw FileFault(path: path, message: "is no TOML: \(error)")
        }
    }

    private static func json(_ table: TOMLTable) -> JSONText {
        .object(table.keys.compactMap { key in table[key].map { .init(key, json($0)) } })
    }

    private static func json(_ value: TOMLValue) -> JSONText {
        switch value.content {
        case .string(let text), .time(let text): .string(text)
        case .integer(let number): .integer(Int64(number))
        case .float(let number): .decimal(number)
        case .boolean(let value): .boolean(value)
        case .array(let values): .array(values.map(json))
        case .table(let table): json(table)
        }
    }
}
