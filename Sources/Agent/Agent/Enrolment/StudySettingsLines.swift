// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// The lines of the `study.toml` in a study's folder. Readers see it as JSON on one line, whose bytes stay
/// as they are: by their digest an enrolment knows its study again.
struct StudySettingsLines {
    private static let name = "study.toml"
    private let source: ConfigSource

    /// Nil where the path is no folder, or has no such file.
    init?(in folder: String) {
        guard StudyFolder.isFolder(folder),
            let bytes = try? BoundedFile.read("\(folder)/\(Self.name)", limit: TOMLTable.maximumSize),
            let table = try? TOMLTable(parsing: bytes)
        else { return nil }
        source = ConfigSource(Self.name, table)
    }

    /// With the lines of the file in place of those of the JSON.
    func placing(_ error: StudyFormatError) -> StudyFormatError {
        StudyFormatError(
            problems: error.problems.map {
                .init(path: $0.path, line: line(of: $0.path, $0.line), expected: $0.expected, found: $0.found)
            })
    }

    func placing(_ loaded: LoadedStudy) -> LoadedStudy {
        loaded.with(
            remarks: loaded.study.remarks.map {
                Remark($0.kind, path: $0.path, line: line(of: $0.path, $0.line), $0.message)
            })
    }

    private func line(of path: String, _ line: Int?) -> Int? {
        let root = Self.name + ":$"
        // Behind the root comes a point.
        return path.hasPrefix(root) ? source.line(of: String(path.dropFirst(root.count + 1))) : line
    }
}
