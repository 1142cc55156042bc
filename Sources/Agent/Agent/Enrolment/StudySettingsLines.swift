// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// Puts the lines of the `study.toml` in a study's folder into what `StudyFinder` reports. Readers get that file as
/// JSON on one line, as `study.json`; its bytes stay so, since an enrolment knows its study by their digest.
struct StudySettingsLines {
    private static let name = "study.toml"
    private let source: ConfigSource
    /// Its keys outside of tables; a path that begins with another one is in the `study.json` beside it.
    private let keys: Set<String>
    private let isAlone: Bool

    /// Nil where the path is no folder, or has no such file.
    init?(in folder: String) {
        guard File.isFolder(folder),
            let bytes = try? BoundedFile.read("\(folder)/\(Self.name)", limit: TOMLTable.maximumSize),
            let table = try? TOMLTable(parsing: bytes)
        else { return nil }
        source = ConfigSource(Self.name, table)
        keys = Set(table.keys)
        isAlone = access("\(folder)/study.json", F_OK) != 0
    }

    /// With the lines of the file in place of those of the JSON.
    func placing(_ error: StudyFormatError) -> StudyFormatError {
        StudyFormatError(
            problems: error.problems.map {
                let (path, line) = place($0.path, $0.line)
                return StudyFormatError.Problem(path: path, line: line, expected: $0.expected, found: $0.found)
            })
    }

    func placing(_ loaded: LoadedStudy) -> LoadedStudy {
        loaded.with(
            remarks: loaded.study.remarks.map {
                let (path, line) = place($0.path, $0.line)
                return Remark($0.kind, path: path, line: line, $0.message)
            })
    }

    private func place(_ path: String, _ line: Int?) -> (path: String, line: Int?) {
        guard let key = settingsKey(of: path) else { return (path, line) }
        return ("\(Self.name):$\(key.isEmpty ? "" : ".")\(key)", source.line(of: key))
    }

    /// What a path leads to in the file; nil for one of another file.
    private func settingsKey(of path: String) -> String? {
        let parts = path.split(separator: ":$", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        // Behind the root comes a point.
        let key = String(parts[1].dropFirst())
        if parts[0] == Self.name { return key }
        let isOurs = isAlone || keys.contains(String(key.prefix { $0 != "." && $0 != "[" }))
        return parts[0] == "study.json" && isOurs ? key : nil
    }
}
