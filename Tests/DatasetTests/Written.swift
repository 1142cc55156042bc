// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import Glibc
import SystemKit

@testable import Dataset

/// A dataset that was written, to be looked at.
struct Written {
    /// Its folder goes with it.
    private let lab: LabFixture
    let path: String
    let outcome: DatasetExport.Outcome

    /// Of the one study of a lab.
    init(
        _ lab: LabFixture, to name: String = "out", isPackage: Bool = true, participant: String? = nil,
        keys: [CMSKey] = []
    )
        throws
    {
        self.lab = lab
        path = lab.output(name)
        let whole = try LabFolder(lab.directory, study: nil, keys: keys)
        let dataset = try WindowedDataset(whole, window: .all, participant: participant)
        let survey = try DatasetExport.survey(dataset)
        outcome = try DatasetExport(dataset, to: DatasetFolder(path), isPackage: isPackage).run(bytes: survey.bytes)
    }

    /// The rows of a table by their columns. No cell of these tests has a line feed.
    func rows(_ table: String) throws -> [[String: String]] {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(table).csv")), as: UTF8.self)
        let lines = text.split(separator: "\n").map { Self.cells(String($0)) }
        guard let names = lines.first else { return [] }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(names, $0)) }
    }

    /// Every file with its content, the export's own list apart.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name != ".studyd-dataset" {
            var isFolder = false
            guard FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder), !isFolder else {
                continue
            }
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        return contents
    }

    private static func cells(_ line: String) -> [String] {
        var (cells, cell, isQuoted): ([String], String, Bool) = ([], "", false)
        for character in line {
            switch character {
            case "\"":
                // A doubled one is taken for an end and a beginning.
                if isQuoted == false, !cell.isEmpty, cell.last != "\"" { cell.append("\"") }
                isQuoted.toggle()
            case "," where !isQuoted:
                cells.append(cell)
                cell = ""
            default: cell.append(character)
            }
        }
        return cells + [cell]
    }
}
