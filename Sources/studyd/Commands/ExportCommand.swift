// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Glibc
import Recording

extension ExportFormat: ExpressibleByArgument {}

/// `studyd recordings export`: a recording in the format that other programs want.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Exports a recording, ours or any CWA, FLAC or NMEA file.",
        discussion: """
            CWA becomes csv, edf or sage-json; NMEA csv, gpx or sage-json; FLAC wav; CSV csv or sage-json.
            Example: studyd recordings export 000042-accelerometer.cwa --to edf -o night.edf
            """)
    @Argument(help: "The file.")
    var file: String
    @Option(name: .long, help: "csv, gpx, wav, edf or sage-json.")
    var to: ExportFormat
    @Option(name: .shortAndLong, help: "The file to write; -: standard output.")
    var output = "-"
    @OptionGroup var common: CommonOptions

    func run() throws {
        let meter = ProgressMeter()
        do throws(RecordingError) {
            let notes = try RecordingExport.run(
                file, as: to, to: { () throws(RecordingError) in try OutputTarget.open(output, input: file) },
                progress: meter.show)
            meter.clear()
            notes.forEach(Output.note)
        } catch {
            meter.clear()
            // Whoever read the pipe has had enough.
            if case .system("write", _, EPIPE) = error { return }
            throw error
        }
    }
}

/// Where a command writes to.
enum OutputTarget {
    /// The file, or standard output for `-`. The input is never overwritten.
    static func open(_ path: String, input: String) throws(RecordingError) -> ExportOutput {
        guard path != "-" else { return ExportOutput(descriptor: STDOUT_FILENO, name: "standard output") }
        var (source, target) = (stat(), stat())
        if stat(input, &source) == 0, stat(path, &target) == 0, source.st_ino == target.st_ino,
            source.st_dev == target.st_dev
        {
            throw .format(path: path, problem: "is the recording itself; name another file with -o")
        }
        return try ExportOutput(path: path)
    }
}

/// Per cent on a terminal, and nothing in a pipe.
final class ProgressMeter {
    private let isShown = Output.isTerminal
    private var last = -1

    /// Shows the share that is done, 0...1.
    func show(_ share: Double) {
        let percent = Int(max(0, min(1, share)) * 100)
        guard isShown, percent != last else { return }
        last = percent
        Output.part("\r\(percent) %")
    }

    /// Takes it away again.
    func clear() { if isShown, last >= 0 { Output.part("\r      \r") } }
}
