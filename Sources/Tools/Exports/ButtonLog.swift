// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Reads the presses of a recording of buttons (`time,uptime,button,edge,meaning,repeats`), for the exporters
/// here and for the lab's tables and BIDS export.
package enum ButtonLog {
    /// All presses, in the order of going down. Throws for a file that holds something else.
    package static func presses(_ source: RecordedFile) throws(FileError) -> [ButtonPress] {
        guard source.content == .table else { throw refusal(source) }
        let lines = try source.lines()
        var columns: [String: Int] = [:]
        var (presses, held): ([ButtonPress], [String: Edge]) = ([], [:])
        while let line = try lines.next() {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("time,") {
                let names = text.split(separator: ",").map(String.init)
                columns = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
                guard columns["button"] != nil, columns["edge"] != nil, columns["uptime"] != nil else {
                    throw refusal(source)
                }
            }
            guard !columns.isEmpty, let edge = Edge(text, columns) else { continue }
            if edge.isDown {
                // A release that was never heard leaves a press without a length.
                if let lost = held.updateValue(edge, forKey: edge.button) {
                    presses.append(lost.press(until: nil, source))
                }
            } else if let down = held.removeValue(forKey: edge.button) {
                presses.append(down.press(until: edge, source))
            }
        }
        guard !columns.isEmpty else { throw refusal(source) }
        presses += held.values.map { $0.press(until: nil, source) }
        return presses.sorted { $0.uptime < $1.uptime }
    }

    /// The presses of several files within the window, in the order of their times.
    static func presses(
        _ files: [RecordedFile], _ window: ExportWindow
    ) throws(FileError) -> [ButtonPress] {
        var presses: [ButtonPress] = []
        for file in files {
            let offset = file.description?.offsetSeconds ?? 0
            presses += try Self.presses(file).filter { window.contains($0.time, offset: offset) }
        }
        return presses.sorted { ($0.time ?? .epoch, $0.uptime) < ($1.time ?? .epoch, $1.uptime) }
    }

    private static func refusal(_ source: RecordedFile) -> FileError {
        source.refusal("is not a button recording (columns time,uptime,button,edge,meaning)")
    }

    private struct Edge {
        private let time: Instant?
        private let uptime: Double
        let button: String
        let isDown: Bool
        private let meaning: String
        private let repeats: Int

        init?(_ line: String, _ columns: [String: Int]) {
            // Rows begin with a time or an empty one; the header and comments with a letter or `#`.
            guard let first = line.utf8.first, first == UInt8(ascii: ",") || (48...57).contains(first) else {
                return nil
            }
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            func field(_ name: String) -> String? {
                columns[name].flatMap { fields.indices.contains($0) ? fields[$0] : nil }
            }
            // Rows with the edge "hum" are skipped: they count edges that were no presses (mains hum).
            guard let uptime = field("uptime").flatMap(Double.init), abs(uptime) < 4e9, let button = field("button"),
                let edge = field("edge"), ["down", "up", "1", "0"].contains(edge)
            else { return nil }
            time = Instant.parsed(fields[0])
            self.uptime = uptime
            self.button = button
            isDown = edge == "down" || edge == "1"
            meaning = field("meaning") ?? ""
            repeats = field("repeats").flatMap { Int($0) } ?? 0
        }

        func press(until up: Edge?, _ source: RecordedFile) -> ButtonPress {
            ButtonPress(
                time: time, uptime: uptime, duration: up.flatMap { $0.uptime >= uptime ? $0.uptime - uptime : nil },
                button: button,
                meaning: up.map { $0.meaning.isEmpty ? meaning : $0.meaning } ?? meaning,
                repeats: max(repeats, up?.repeats ?? 0), bootID: source.description?.bootID)
        }
    }
}
