// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Device
import Glibc
import SystemKit

/// `studyd recordings`: looks at recordings, ours and others'.
struct RecordingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings", abstract: "List, inspect and verify recordings.",
        discussion: """
            studyd-tools exports and plots them.
            Example: studyd recordings list
            """,
        subcommands: [List.self, Show.self, Verify.self, Open.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the device's recordings with start, length, coverage, losses, size and delivery.",
            discussion: """
                Without a folder the device's own recordings are listed, from its state folder.
                Example: studyd recordings list
                Example: studyd recordings list kept/device/recordings
                """)
        @Argument(help: "A folder with recordings (default: those of the device).", completion: .directory)
        var folder: String?
        @OptionGroup var common: CommonOptions
        @Flag(name: .long, help: "Print one JSON object per line.")
        var json = false

        func run() async throws {
            let summaries: [RecordingSummary]
            if let folder { summaries = try Self.summaries(in: folder) } else { summaries = try await ownSummaries() }
            guard json else { return Output.text(RecordingCatalog.table(summaries)) }
            for summary in summaries { Output.line(summary.json) }
        }

        /// The recordings in a folder, ours and others'; one that cannot be read is listed as such.
        private static func summaries(in folder: String) throws -> [RecordingSummary] {
            let index = RecordingFileIndex()
            return try RecordingSelection.files([folder]).map { file in
                do throws(FileError) { return try FileInspector.summary(of: file, in: index) } catch {
                    return .unreadable(file, error)
                }
            }
        }

        private func ownSummaries() async throws -> [RecordingSummary] {
            let store = try StoreAccess(common, isReading: true)
            let views = try await store.database.recordingViews()
            let delivered = Set(views.filter(\.isDelivered).map(\.recording.path))
            guard access(store.folder.recordings, F_OK) == 0 else { return [] }
            return try RecordingCatalog(DiskFolder(creating: store.folder.recordings)).summaries().map { summary in
                var summary = summary
                if summary.state == "sealed" {
                    summary.state = delivered.contains(summary.name) ? "delivered" : "sealed"
                }
                return summary
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Inspect one recording (ours, or any CWA, FLAC or NMEA file).",
            discussion: "Example: studyd recordings show 000042-accelerometer.cwa")
        @Argument(help: "The recording.", completion: .file())
        var file: String
        @Flag(name: .long, help: "Print one JSON object.")
        var json = false
        @OptionGroup var unused: UnusedOptions

        func run() throws {
            let summary = try FileInspector.summary(of: file)
            if json { Output.line(summary.json) } else { Output.text(summary.text) }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Verify recordings: digests, description, checksums, order and times. Exits with 1 if one is damaged.",
            discussion: """
                A folder stands for the recordings in it, and a description is checked with its file. With the
                device's manifests or its log, which it has signed, this also finds what no single file shows:
                a recording that is gone, that was added, or of which the description was made again.
                Without --key only the outside of a sealed recording is verified.
                Example: studyd recordings verify /var/lib/studyd/recordings
                Example: studyd recordings verify lab/files --manifest lab/manifests
                Example: studyd recordings verify --key identity.txt lab/device/recordings
                """)
        @Argument(help: "Files or folders.", completion: .file())
        var files: [String]
        @OptionGroup var key: KeyOption
        @Flag(name: .long, help: "Print one JSON object per line: file, ok, problems.")
        var json = false
        @Option(
            help: ArgumentHelp(
                "A day's manifest, or a folder of them. Repeatable.", valueName: "file"), completion: .file())
        var manifest: [String] = []
        @Option(
            help: ArgumentHelp(
                "A segment of a device's log, a folder of them, or the log itself. Repeatable.", valueName: "file"),
            completion: .file())
        var log: [String] = []
        @Option(
            help: ArgumentHelp(
                "Require that this device signed manifests and segments: its public key, 64 digits.",
                valueName: "key"))
        var deviceKey: String?
        @OptionGroup var unused: UnusedOptions

        func validate() throws {
            guard let deviceKey else { return }
            guard !manifest.isEmpty || !log.isEmpty else {
                throw ValidationError("--device-key needs --manifest or --log, which the device signs")
            }
            guard [UInt8](hexadecimal: deviceKey)?.count == 32 else {
                throw ValidationError("--device-key '\(deviceKey)': a public key has 64 hexadecimal digits")
            }
        }

        func run() throws {
            var isWhole = true
            let keys = try key.identities()
            func report(_ file: String, _ problems: [String]) {
                Output.line(json ? Self.object(file, problems) : Self.line(file, problems))
                isWhole = isWhole && problems.isEmpty
            }
            let index = RecordingFileIndex()
            var check = try produced.map(ProducedCheck.init)
            var checked: Set<String> = []
            for file in try RecordingSelection.files(files) {
                var problems: [String]
                do {
                    problems = try Self.problems(of: file, keys, index)
                    problems += try check?.checkFile(at: file).map { [$0] } ?? []
                } catch { problems = [Self.words(error, file)] }
                report(file, problems)
                checked.insert(file)
            }
            guard check != nil else { return try end(isWhole) }
            // Manifests and logs name descriptions separately.
            for file in try RecordingSelection.all(files) where !checked.contains(file) {
                do {
                    if let problem = try check?.checkFile(at: file) { report(file, [problem]) }
                } catch { report(file, [Self.words(error, file)]) }
            }
            for name in check?.missing ?? [] { report(name, ["it was produced, and is not here"]) }
            try end(isWhole)
        }

        private func end(_ isWhole: Bool) throws { if !isWhole { throw ExitCode(1) } }

        /// What the device produced according to manifests and logs; nil without --manifest and --log.
        private var produced: [ProducedFile]? {
            get throws {
                guard !manifest.isEmpty || !log.isEmpty else { return nil }
                return try ProducedSources(manifests: manifest, logs: log, key: deviceKey).files
            }
        }

        private static func problems(
            of file: String, _ keys: [AgeIdentity], _ index: RecordingFileIndex
        ) throws(FileError) -> [String] {
            keys.isEmpty
                ? try FileInspector.problems(of: file, in: index)
                : try FileInspector.problems(of: file, opening: keys, in: index)
        }

        /// The error's text without the file's name, with which the printed line begins.
        private static func words(_ error: any Error, _ file: String) -> String {
            let text = "\(error)"
            return text.hasPrefix(file + ": ") ? String(text.dropFirst(file.count + 2)) : text
        }

        private static func line(_ file: String, _ problems: [String]) -> String {
            "\(file): \(problems.isEmpty ? "OK" : problems.joined(separator: "; "))"
        }

        private static func object(_ file: String, _ problems: [String]) -> String {
            JSONText.object([
                .init("file", .string(file)), .init("ok", .boolean(problems.isEmpty)),
                .init("problems", .array(problems.map { .string($0) })),
            ]).text
        }
    }

    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Open sealed recordings: each becomes the file and the description that it would have been.",
            discussion: """
                A folder stands for the recordings in it; those that are not sealed are passed over. One that cannot
                be opened is named, and the command ends with 1. Files of a receiver keep its numbers; of several
                devices themselves, which number theirs alike, open each one's into a folder of its own.
                Example: studyd recordings open --key identity.txt --into opened lab/device/recordings
                """)
        @Argument(help: "Files or folders.", completion: .file())
        var files: [String]
        @Option(name: .long, help: "An identity file of age (age-keygen -o FILE).", completion: .file())
        var key: String
        @Option(
            name: .long, help: "The folder for what was opened; made where it is not there.", completion: .directory)
        var into: String
        @OptionGroup var unused: UnusedOptions

        func run() throws {
            let (opener, index) = (try RecordingOpener(KeyOption.identities(key), into: into), RecordingFileIndex())
            var isWhole = true
            for file in try RecordingSelection.files(files) where RecordingOpener.isEncrypted(file) {
                do throws(FileError) { Output.line(try opener.open(file, in: index)) } catch {
                    Output.remark("studyd: \(error)")
                    isWhole = false
                }
            }
            if !isWhole { throw ExitCode(1) }
        }
    }
}
