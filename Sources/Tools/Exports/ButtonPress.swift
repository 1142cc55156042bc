// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// One press of a button, from a recording of buttons.
package struct ButtonPress: Sendable, Hashable {
    /// UTC at which it went down; nil while the clock is unknown.
    package let time: Instant?
    /// CLOCK_MONOTONIC at which it went down, in seconds.
    package let uptime: Double
    /// Seconds until it went up; nil where the file ends before, and where the release is said to
    /// come before the press.
    package let duration: Double?
    package let button: String
    /// What the panel took it for; empty = nothing.
    package let meaning: String
    /// How many more times the meaning was repeated while it was held.
    package let repeats: Int
    /// The boot that `uptime` belongs to; nil in foreign files.
    package let bootID: String?

    /// `select (middle)`.
    var text: String { meaning.isEmpty ? "press (\(button))" : "\(meaning) (\(button))" }
}

/// The presses of a recording of buttons: `time,uptime,button,edge,meaning,repeats`.
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
        .format(
            path: source.file.path,
            problem: "is not a button recording (columns time,uptime,button,edge,meaning)")
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

/// Where presses lie on the wall clock of a motion recording: by UTC; where the recording does not
/// know it, by CLOCK_MONOTONIC within one boot.
struct PressClock {
    private let description: RecordingDescription?
    /// Seconds from UTC to the recording's wall clock; nil where it does not say.
    private let offset: Int?
    /// The recording has no time of day.
    private let isUnknown: Bool

    init(_ series: MotionSeries) {
        // Of several files the first one's description will do: all are of one clock.
        description = series.description
        offset = MotionSeries.offset(series.header, series.description)
        isUnknown = series.header?["clock"] == "uptime"
    }

    /// Nil where the two have no clock in common.
    func wall(of press: ButtonPress) -> Instant? {
        if isUnknown {
            guard let boot = press.bootID, boot == description?.bootID else { return nil }
            return RecordingTimes.uptimeEpoch + .nanoseconds(Int64(press.uptime * 1e9))
        }
        return press.time.flatMap { time in offset.map { time + .seconds($0) } }
    }
}
