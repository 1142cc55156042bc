// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Device
import Exports
import SystemKit

extension ExportFormat: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(rawValue: argument)
        guard Self.all.contains(self) else { return nil }
    }

    package static var allValueStrings: [String] { all.map(\.rawValue) }

    private static var all: [ExportFormat] { ExportCatalog.standard.formats }
}

/// `studyd-tools export`: recordings in the formats of other programs.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a recording (ours, or any CWA, FLAC or NMEA file).",
        discussion: """
            What each becomes:
              \(ExportCatalog.standard.help.joined(separator: "\n  "))
            Of CSV, bids (events.tsv) and edf (annotations) take button recordings.
            Several files of one measure are joined into one; xdf also takes files of several measures, a stream for each. --from and --until take e.g. 2026-11-21T10:15:00, with Z or an offset, \
            or without one in the recording's local time.
            Example: studyd-tools export 000042-accelerometer.cwa 000043-accelerometer.cwa --to edf -o night.edf \
            --from 2026-11-21T22:00 --until 2026-11-22T06:00
            """)
    @Argument(help: "The files, all of one measure unless they become xdf.")
    var files: [String]
    @Option(name: .long, help: "Format.", completion: .list(ExportFormat.allValueStrings))
    var to: ExportFormat
    @Option(name: .long, help: "Export only what was recorded from this time on.")
    var from: String?
    @Option(name: .long, help: "Export only what was recorded before this time.")
    var until: String?
    @Option(name: .long, help: "EDF of motion: add the presses of this button recording as annotations.")
    var events: String?
    @Option(
        name: .long,
        help: "bids: count onsets from the start of this recording (default: the button recording itself).")
    var relativeTo: String?
    @Flag(name: .long, help: "Join files of several participants into one, which is refused otherwise.")
    var joinParticipants = false
    @OptionGroup var key: KeyOption
    @Option(name: .shortAndLong, help: "The file to write; - for standard output.")
    var output = "-"
    @OptionGroup var unused: UnusedOptions

    func run() throws {
        try RecordingConversion(key).run { opened, meter throws(FileError) in
            var options = ExportOptions()
            options.window = try ExportWindow(from: from, until: until)
            options.events = try events.map { path throws(FileError) in try opened.path(of: path) }
            options.relativeTo = try relativeTo.map { path throws(FileError) in try opened.path(of: path) }
            options.joinsParticipants = joinParticipants
            var plain: [String] = []
            for file in files { plain.append(try opened.path(of: file)) }
            let inputs = files + [events, relativeTo, key.key].compactMap(\.self)
            return try RecordingExport.run(
                plain, as: to, options, to: { () throws(FileError) in try OutputTarget.open(output, inputs: inputs) },
                progress: meter.show)
        }
    }
}
