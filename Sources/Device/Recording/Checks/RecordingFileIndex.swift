// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Finds the description of a recording, and the recording of a description, also under the names that a
/// receiver gives them: `17-000001-accelerometer.cwa` is the seventeenth file that came, and its description
/// may be the eighteenth. Files of many devices lie in one folder, so of several the digest decides.
/// `studyd recordings` and the commands that open encrypted files have one.
///
/// A folder is listed once. Belongs to one thread.
package final class RecordingFileIndex {
    /// By folder and the device's own name: paths.
    private var folders: [String: [String: [String]]] = [:]

    package init() {}

    /// The device's own name of a file: without the receiver's number, and without what a bucket puts
    /// after a name that was taken (`~2`).
    package static func originalName(of path: String) -> String {
        var name = path.split(separator: "/").last ?? Substring(path)
        if let mark = name.lastIndex(of: "~"), mark != name.startIndex,
            name[name.index(after: mark)...].allSatisfy(\.isNumber)
        {
            name = name[..<mark]
        }
        let number = name.prefix { $0.isASCII && $0.isNumber }
        let rest = name.dropFirst(number.count + 1)
        let isStored =
            !number.isEmpty && name.dropFirst(number.count).first == "-" && RecordingName(String(rest)) != nil
        return String(isStored ? rest : name)
    }

    /// The description of a recording under whatever name; nil where there is none.
    func description(of path: String) throws(FileError) -> RecordingDescription? {
        guard let ours = RecordingName(Self.originalName(of: path)) else { return nil }
        return Self.read(try descriptionPath(of: path, ours))
    }

    /// The path of a recording's description. Of several of that name it is the one that has the
    /// recording's digest, else the one that came next to it; a device sends the file first.
    func descriptionPath(of path: String, _ ours: RecordingName) throws(FileError) -> String {
        let wanted = path.hasSuffix(".partial") ? ours.draft : ours.description
        let found = files(named: wanted, beside: path)
        guard found.count > 1 else { return found.first ?? Self.folder(of: path) + wanted }
        let digest = try FileDigest.sha256(of: File(path, .read))
        let nearest = Self.nearest(found, to: path, cameBefore: false)
        return nearest.first { Self.read($0)?.sha256 == digest } ?? nearest[0]
    }

    /// The path of the file that a description is of; the same rule the other way round.
    func file(of description: RecordingDescription, at path: String) -> String {
        let wanted = description.state == .sealed ? description.relativePath : description.partialName
        let found = files(named: wanted, beside: path)
        guard found.count > 1 else { return found.first ?? Self.folder(of: path) + wanted }
        let nearest = Self.nearest(found, to: path, cameBefore: true)
        return nearest.first { Self.holds($0, description) } ?? nearest[0]
    }

    /// Whether a file is what was described; read whole only where it is as long.
    private static func holds(_ path: String, _ description: RecordingDescription) -> Bool {
        guard let file = try? File(path, .read), (try? file.size()) == description.bytes else { return false }
        return (try? FileDigest.sha256(of: file)) == description.sha256
    }

    /// In the order of their distance from `path` by the receiver's numbers; of two as near, first the one that
    /// came before `path` where `cameBefore`, else the one that came after.
    private static func nearest(_ found: [String], to path: String, cameBefore: Bool) -> [String] {
        let own = number(of: path)
        func distance(_ other: String) -> (Int, Int) {
            let step = number(of: other) - own
            return (abs(step), (step < 0) == cameBefore ? 0 : 1)
        }
        return found.sorted { distance($0) < distance($1) }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// The receiver's number before the name; 0 where there is none.
    private static func number(of path: String) -> Int {
        let name = path.split(separator: "/").last ?? Substring(path)
        return originalName(of: path) == name ? 0 : Int(name.prefix { $0.isNumber }) ?? 0
    }

    static func read(_ path: String) -> RecordingDescription? {
        guard let bytes = try? BoundedFile.read(path, limit: 4 << 20) else { return nil }
        return try? RecordingDescription(json: bytes, path: path)
    }

    private func files(named name: String, beside path: String) -> [String] {
        let folder = Self.folder(of: path)
        if folders[folder] == nil {
            let all = FolderListing.readable(folder.isEmpty ? "." : folder)
            folders[folder] = Dictionary(grouping: all, by: Self.originalName).mapValues { $0.map { folder + $0 } }
        }
        return folders[folder]?[name] ?? []
    }
}
