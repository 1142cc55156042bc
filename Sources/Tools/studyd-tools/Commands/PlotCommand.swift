// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Device
import Exports
import SystemKit

/// `studyd-tools plot`: a picture of a recording.
struct PlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot",
        abstract: "Plot a recording as SVG: signals with their extremes, gaps shaded, positions on a map.",
        discussion: "Example: studyd-tools plot 000042-accelerometer.cwa -o night.svg")
    @Argument(help: "The recording (ours, or any CWA, FLAC or NMEA file).")
    var file: String
    @Option(name: .shortAndLong, help: "The file to write; - for standard output.")
    var output = "-"
    @Option(
        help: ArgumentHelp(
            "Show the part from this moment on, as the picture of the whole shows it: 2026-11-25T10:03.",
            valueName: "time"))
    var at: String?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How much of it to show from --at on (default: 1m).", valueName: "duration"))
    var length: String?
    @OptionGroup var key: KeyOption
    @OptionGroup var unused: UnusedOptions

    func validate() throws { _ = try window }

    func run() throws {
        let window = try window
        try RecordingConversion(key).run { opened, meter throws(FileError) in
            let inputs = [file] + [key.key].compactMap(\.self)
            try RecordingPlot.run(
                opened.path(of: file), in: window,
                to: { () throws(FileError) in try OutputTarget.open(output, inputs: inputs) }, progress: meter.show)
            return []
        }
    }

    var window: PlotWindow? {
        get throws {
            guard let at else {
                guard length == nil else { throw ValidationError("--for: say from when on, with --at") }
                return nil
            }
            // Wall time as if it were UTC, as the picture's axis has it.
            let time = at.utf8.count == 16 ? at + ":00Z" : at + "Z"
            guard let start = Instant.parsed(time) else {
                throw ValidationError("--at \(at): use a time without a zone, such as 2026-11-25T10:03")
            }
            let length = length ?? "1m"
            guard let span = try? Duration(parsing: length), span > .zero, span <= .seconds(86_400) else {
                throw ValidationError("--for \(length): use a duration up to a day, such as 1m")
            }
            return PlotWindow(start: start, seconds: span.seconds)
        }
    }
}
