// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The rows of one of our CSV files one after another, in constant memory. Exports, plots, features and the lab
/// read with it.
package final class CSVTable {
    package struct Row: Sendable {
        /// UTC; nil while the clock is unknown.
        package let time: Instant?
        /// CLOCK_MONOTONIC in seconds.
        package let uptime: Double?
        /// The columns after those two; nil for an empty one.
        package let values: [Double?]
        /// True when samples are missing before it, also since the file before, or it is the first of another boot.
        package let followsGap: Bool
    }

    /// The columns' names without `time` and `uptime`.
    package let columns: [String]
    /// Their units; empty where the file has none.
    package let units: [String]
    private var lines: TextLines
    private let size: Int
    private var rest: [RecordedFile] = []
    private let window: ExportWindow
    /// Seconds east of UTC, of the file that is read.
    private var offset: Int
    private var bytesBefore = 0
    private var fileGaps = TableFileGaps()

    /// The table of a file, from its first row. Throws where the header is missing.
    package convenience init(_ source: RecordedFile) throws(FileError) { try self.init([source], window: .all) }

    /// The rows of several files, at least one, that lie in the window; in the order given. Throws where
    /// their columns differ.
    package init(_ sources: [RecordedFile], window: ExportWindow) throws(FileError) {
        var all = 0
        var heads: [([String], [String])] = []
        for source in sources {
            heads.append(try Self.head(source, source.lines()))
            all += try source.file.size()
        }
        guard let first = sources.first, let head = heads.first else {
            throw .format(path: "", problem: "no file given")
        }
        for (source, other) in zip(sources, heads) where other != head {
            throw .format(
                path: source.file.path,
                problem: "has other columns or units than the first file; export them separately")
        }
        (columns, units) = head
        lines = try first.lines()
        rest = Array(sources.dropFirst())
        size = all
        self.window = window
        offset = first.description?.offsetSeconds ?? 0
        fileGaps.begin(first)
    }

    private static func head(
        _ source: RecordedFile, _ lines: TextLines
    ) throws(FileError) -> (columns: [String], units: [String]) {
        var (columns, units): ([String]?, [String]) = (nil, [])
        for _ in 0..<1000 {
            guard columns == nil, let line = try lines.next() else { break }
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("#units ") { units = ParsedCSVHeader.units(of: text) }
            if text.hasPrefix("time,uptime,") { columns = text.split(separator: ",").dropFirst(2).map(String.init) }
        }
        guard let columns else {
            throw .format(path: source.file.path, problem: "has no header line time,uptime,...; not one of our tables")
        }
        return (columns, units)
    }

    /// How much of all files has been read, 0...1.
    package var progress: Double { Double(bytesBefore + lines.bytesRead) / Double(size) }

    /// The next row of the window; nil after the last. A torn row is left out: a gap.
    package func next() throws(FileError) -> Row? {
        var followsGap = false
        while let line = try nextLine() {
            if line.starts(with: "#gap".utf8) { followsGap = true }
            guard let first = line.first, first == UInt8(ascii: ",") || (48...57).contains(first) else {
                fileGaps.read(line)
                continue
            }
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard fields.count == columns.count + 2 else {
                followsGap = true
                continue
            }
            if fileGaps.takeRow(line) != nil { followsGap = true }
            let time = Instant.parsed(String(decoding: fields[0], as: UTF8.self))
            guard window.contains(time, offset: offset) else { continue }
            return Row(
                time: time,
                uptime: Self.number(fields[1]).flatMap { abs($0) < Self.longest ? $0 : nil },
                values: fields.dropFirst(2).map(Self.number), followsGap: followsGap)
        }
        return nil
    }

    private func nextLine() throws(FileError) -> ArraySlice<UInt8>? {
        while true {
            if let line = try lines.next() { return line }
            guard !rest.isEmpty else { return nil }
            bytesBefore += lines.bytesRead
            let file = rest.removeFirst()
            lines = try file.lines()
            offset = file.description?.offsetSeconds ?? 0
            fileGaps.begin(file)
        }
    }

    /// Seconds; more is damage, and would overflow as nanoseconds.
    private static let longest = 4e9

    private static func number(_ field: ArraySlice<UInt8>) -> Double? {
        Double(Substring(decoding: field, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }
}
