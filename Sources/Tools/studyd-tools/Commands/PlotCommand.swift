// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Device
import Exports
import Glibc
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
    @OptionGroup var unused: UnusedOptions

    func run() throws {
        let meter = ProgressMeter()
        do throws(FileError) {
            try RecordingPlot.run(
                file, to: { () throws(FileError) in try OutputTarget.open(output, inputs: [file]) },
                progress: meter.show)
            meter.clear()
        } catch {
            meter.clear()
            if error.operation == "write", error.code == EPIPE { return }
            throw error
        }
    }
}
