// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The recordings in a folder, open and sealed. `studyd recordings list` prints it.
package struct RecordingCatalog: Sendable {
    private let folder: DiskFolder

    package init(_ folder: DiskFolder) { self.folder = folder }

    /// A summary of each, by number. A description that cannot be read gives a
    /// summary that says so.
    package func summaries() throws(FileError) -> [RecordingSummary] {
        var found: [RecordingSummary] = []
        for name in try folder.names() where RecordingName(name) != nil {
            guard name.hasSuffix(".json") || name.hasSuffix(".open") else { continue }
            do throws(FileError) {
                var description = try RecordingDescription(name, in: folder)
                let path = description.state == .sealed ? description.relativePath : description.partialName
                let file = try File(folder.file(path), .read)
                if description.state == .open, description.age == nil {
                    try description.update(from: file)
                }
                found.append(RecordingSummary(description, bytes: try file.size()))
            } catch {
                found.append(.unreadable(name, error))
            }
        }
        return found
    }

    /// A table with a head, one line per recording.
    package static func table(_ summaries: [RecordingSummary]) -> String {
        let head = ["FILE", "START", "LENGTH", "STORED", "LOST", "COVERAGE", "SIZE", "STATE"]
        let rows = [head] + summaries.map(row)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            return line + "\n"
        }.joined()
    }

    private static func row(_ summary: RecordingSummary) -> [String] {
        let coverage = summary.coverage.map { Decimals.text($0 * 100, 1) + " %" } ?? "-"
        return [
            summary.name, summary.startText, summary.durationText, "\(summary.stored)", "\(summary.lost)", coverage,
            RecordingSummary.size(summary.bytes), summary.state,
        ]
    }
}

extension RecordingSummary {
    /// For a file of which only the error is known.
    package static func unreadable(_ name: String, _ error: FileError) -> RecordingSummary {
        RecordingSummary(
            name: name, kind: nil, format: "unknown", device: nil, start: nil, offset: nil, duration: 0, rate: nil,
            countedUnit: .samples, stored: 0, lost: 0, bytes: 0, state: "unreadable", remarks: ["\(error)"])
    }
}
