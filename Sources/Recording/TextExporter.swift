// SPDX-License-Identifier: Apache-2.0

/// Our CSV as it is, unpacked. Whatever is no row, header or comment (a torn end) is left out.
public enum TextExporter {
    /// Writes a whole file; `progress` gets the share that is done.
    public static func export(
        _ source: RecordedFile, to output: ExportOutput, progress: (Double) -> Void
    ) throws(RecordingError) {
        let (lines, size) = (try source.lines(), Double(max(1, try source.file.size())))
        var (count, columns) = (0, 0)
        while let line = try lines.next() {
            let commas = line.reduce(0) { $0 + ($1 == UInt8(ascii: ",") ? 1 : 0) }
            if line.starts(with: "time,".utf8) { columns = commas }
            guard let first = line.first, first == UInt8(ascii: "#") || commas == columns else { continue }
            output.bytes(line)
            output.text("\n")
            try output.drain()
            count += 1
            if count % 4096 == 0 { progress(Double(lines.bytesRead) / size) }
        }
    }
}
