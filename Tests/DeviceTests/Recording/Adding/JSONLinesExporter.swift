// SPDX-License-Identifier: Apache-2.0
import Device
import Exports
import SystemKit

extension ExportFormat {
    static let tsv = ExportFormat(rawValue: "tsv")
}

/// A row a sample, by the uptime; what is missing leaves none.
struct JSONLinesExporter: Exporter {
    let content = RecordedContent.jsonLines
    let format = ExportFormat.tsv

    func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        output.text("uptime\tcounts\n")
        for (place, file) in files.enumerated() {
            let lines = try file.lines()
            while let line = try lines.next() {
                let parts = String(decoding: line, as: UTF8.self).split(separator: ",\"v\":[")
                guard parts.count == 2 else { continue }
                output.text("\(parts[0].dropFirst(5))\t\(parts[1].dropLast(2))\n")
                try output.drain()
            }
            progress(Double(place + 1) / Double(files.count))
        }
        return []
    }
}
