// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Recording
import Store

/// `studyd recordings`: looks at recordings, ours and others'.
struct RecordingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings", abstract: "Looks at recordings.",
        subcommands: [List.self, Show.self, ExportCommand.self, PlotCommand.self, Verify.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the device's recordings: what, when, how long, coverage, loss, size, delivered or not.",
            discussion: "Example: studyd recordings list")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let store = try StoreAccess(common)
            let views = try await store.database.recordingViews()
            let delivered = Set(views.filter(\.isDelivered).map(\.recording.path))
            let summaries = try RecordingCatalog(DiskFolder(creating: store.folder.recordings)).summaries().map {
                summary in
                var summary = summary
                if summary.state == "sealed" {
                    summary.state = delivered.contains(summary.name) ? "delivered" : "sealed"
                }
                return summary
            }
            Output.text(RecordingCatalog.table(summaries))
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows one file, ours or any CWA, FLAC or NMEA file.",
            discussion: "Example: studyd recordings show 000042-accelerometer.cwa")
        @Argument(help: "The file.")
        var file: String
        @OptionGroup var common: CommonOptions

        func run() throws { Output.text(try FileInspector.summary(of: file).text) }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Checks whether files are whole: digests, description, checksums, order and times. Exit code 1 when one is not.",
            discussion: "Example: studyd recordings verify *.cwa")
        @Argument(help: "The files.")
        var files: [String]
        @OptionGroup var common: CommonOptions

        func run() throws {
            var isWhole = true
            for file in files {
                let problems: [String]
                do { problems = try FileInspector.problems(of: file) } catch { problems = ["\(error)"] }
                Output.line("\(file): \(problems.isEmpty ? "whole" : problems.joined(separator: "; "))")
                isWhole = isWhole && problems.isEmpty
            }
            if !isWhole { throw ExitCode(1) }
        }
    }
}
