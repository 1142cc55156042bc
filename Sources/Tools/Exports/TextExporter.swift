// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    /// Text, one line per sample, fix or event.
    package static let csv = ExportFormat(rawValue: "csv")
}

/// A CSV recording as it is, unpacked, for `studyd-tools export --to csv`. Whatever is no row, header or
/// comment (a torn end) is left out.
package struct TextExporter: WindowedExporter {
    package let content = RecordedContent.table
    package let format = ExportFormat.csv

    /// Writes the rows of several files that are wanted, under one header, with a `#gap` line where some are missing
    /// between files. Throws where their columns or units differ.
    package static func export(
        _ sources: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) {
        var (head, fileGaps, hasRows): ([[UInt8]]?, TableFileGaps, Bool) = (nil, TableFileGaps(), false)
        // Since the last wanted row.
        var gaps: [String] = []
        for (place, source) in sources.enumerated() {
            let (lines, size) = (try source.lines(), Double(max(1, try source.file.size())))
            let offset = source.description?.offsetSeconds ?? 0
            var (count, columns, units): (Int, Int, [UInt8]) = (0, 0, [])
            fileGaps.begin(source)
            while let line = try lines.next() {
                let commas = line.reduce(0) { $0 + ($1 == UInt8(ascii: ",") ? 1 : 0) }
                if line.starts(with: "#units ".utf8) { units = Array(line) }
                if line.first == UInt8(ascii: "#") { fileGaps.read(line) }
                if line.starts(with: "time,".utf8) {
                    columns = commas
                    let own = [units, Array(line)]
                    guard head == nil else {
                        if head == own { continue }
                        throw source.refusal("has other columns or units than the first file; export them separately")
                    }
                    head = own
                } else if line.first != UInt8(ascii: "#") {
                    guard commas == columns else { continue }
                    if let gap = fileGaps.takeRow(line) { gaps.append(gap) }
                    guard isWanted(line, window, offset) else { continue }
                    if hasRows { for gap in gaps { output.text(gap + "\n") } }
                    (gaps, hasRows) = ([], true)
                }
                output.bytes(line)
                output.text("\n")
                try output.drain()
                count += 1
                if count % 4096 == 0 {
                    progress((Double(place) + Double(lines.bytesRead) / size) / Double(sources.count))
                }
            }
        }
    }

    private static func isWanted(_ line: ArraySlice<UInt8>, _ window: ExportWindow, _ offset: Int) -> Bool {
        guard !window.isAll else { return true }
        let time = Instant.parsed(String(decoding: line.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self))
        return window.contains(time, offset: offset)
    }
}
