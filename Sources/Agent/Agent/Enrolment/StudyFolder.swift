// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// A study that lies in a folder, for `StudyFinder`: its JSON files, and `study.toml` for what a platform keeps
/// elsewhere.
package enum StudyFolder {
    /// More files, or larger ones in all, are no study.
    private static let mostFiles = 2_000
    private static let mostBytes = 32 << 20

    /// The files of a folder: every `.json`, and `study.toml` as `study.json`.
    package static func files(in path: String) throws -> [StudySource.File] {
        var files: [StudySource.File] = []
        var left = mostBytes
        for name in try names(in: path).sorted() {
            let bytes = try read(path + "/" + name, &left)
            if name == "study.toml" {
                files.append(.init(name: "study.json", bytes: try json(bytes, path + "/" + name)))
            } else {
                files.append(.init(name: name, bytes: bytes))
            }
        }
        guard !files.isEmpty else {
            throw FileError(
                path: path, message: "contains no .json file", remedy: "a study folder has one for each activity")
        }
        return files
    }

    /// The enrolment tokens in `tokens.txt` of a study's folder, with which the lab's receiver plays the study.
    package static func tokens(in path: String) -> [String] {
        let text = try? BoundedFile.text(path + "/tokens.txt")
        return (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }

    package static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The file at a path, with those beside it that it, or one of them, needs. One that is
    /// missing is reported by the reader of the study.
    static func files(
        beside path: String, _ main: StudySource.File, needed: (StudySource.File) -> Set<String>
    ) throws -> [StudySource.File] {
        let folder = path.hasSuffix("/") || !path.contains("/") ? "" : path.dropLast(name(of: path).count)
        var files = [main]
        var left = mostBytes - main.bytes.count
        var wanted = needed(main)
        while let name = wanted.popFirst() {
            guard !name.contains("/"), files.count < mostFiles, !files.contains(where: { $0.name == name }),
                access(folder + name, F_OK) == 0
            else { continue }
            let file = StudySource.File(name: name, bytes: try read(folder + name, &left))
            files.append(file)
            wanted.formUnion(needed(file))
        }
        return files
    }

    private static func read(_ path: String, _ left: inout Int) throws -> [UInt8] {
        // A file that alone exceeds the limit is refused here, with its name.
        let bytes = try BoundedFile.read(path, limit: mostBytes)
        left -= bytes.count
        guard left >= 0 else {
            throw FileError(path: path, message: "makes the files of the study larger than \(mostBytes) bytes in all")
        }
        return bytes
    }

    private static func names(in path: String) throws -> [String] {
        let names: [String]
        do {
            names = try FolderListing.names(in: path, most: mostFiles) { $0.hasSuffix(".json") || $0 == "study.toml" }
        } catch {
            throw FileError(path: path, message: String(cString: strerror(error.code)))
        }
        guard names.count <= mostFiles else {
            throw FileError(path: path, message: "holds more than \(mostFiles) files")
        }
        return names
    }

    private static func json(_ bytes: [UInt8], _ path: String) throws -> [UInt8] {
        do {
            return Array(JSONText(try TOMLTable(parsing: bytes)).text.utf8)
        } catch {
            throw FileError(path: path, message: "is not valid TOML: \(error)")
        }
    }
}
