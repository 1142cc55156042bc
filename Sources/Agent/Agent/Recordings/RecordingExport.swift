// SPDX-License-Identifier: Apache-2.0
import Device

/// Exports recording files: for `studyd recordings export`.
package enum RecordingExport {
    package struct Options: Sendable {
        package var window = ExportWindow.all
        /// A recording of buttons whose presses are noted in the EDF of motion.
        package var events: String?
        /// The recording from whose start the onsets of BIDS count.
        package var relativeTo: String?
        /// Files of several participants may become one.
        package var joinsParticipants = false

        package init() {}
    }

    /// Writes `path` as `format` to `output` and finishes it. `progress` gets the share that is
    /// done, 0...1. Returns what the person should know, such as damage; throws where the file
    /// cannot become that, and says what it can.
    package static func run(
        _ path: String, as format: ExportFormat, to output: () throws(RecordingError) -> ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(RecordingError) -> [String] {
        try run([path], as: format, Options(), to: output, progress: progress)
    }

    /// The same of several files of one measure, which become one.
    package static func run(
        _ paths: [String], as format: ExportFormat, _ options: Options,
        to output: () throws(RecordingError) -> ExportOutput, progress: @escaping (Double) -> Void
    ) throws(RecordingError) -> [String] {
        var sources: [RecordedFile] = []
        for path in paths { sources.append(try RecordedFile(path)) }
        guard let first = sources.first else { throw .format(path: "", problem: "no file given") }
        for source in sources {
            try source.check(format)
            if source.content != first.content {
                throw .format(
                    path: source.file.path,
                    problem:
                        "is \(source.content.title), but the first file is \(first.content.title); export them separately"
                )
            }
        }
        try check(options, first.content, format)
        if !options.joinsParticipants {
            try refuseStrangers(paths + [options.events, options.relativeTo].compactMap(\.self))
        }
        sources = inOrder(sources)
        let presses = try options.events.map { path throws(RecordingError) in try ButtonLog.presses(RecordedFile(path))
        }
        let since = try options.relativeTo.map { path throws(RecordingError) in try RecordedFile(path) }
        let motion = try motion(sources, options)
        let output = try output()
        var notes: [String] = []
        let window = options.window
        switch (first.content, format) {
        case (.motion, .csv): if let motion { try CWACSVExporter.export(motion, to: output, progress: progress) }
        case (.motion, .edf):
            if let motion { try EDFExporter.export(motion, presses: presses ?? [], to: output, progress: progress) }
        case (.table, .edf): try EventsExporter.edf(sources, window: window, to: output)
        case (.table, .bids): try EventsExporter.bids(sources, window: window, since: since, to: output)
        case (.motion, _), (.table, .sageJSON):
            try SageJSONMotionExporter.export(sources, window: window, to: output, progress: progress)
        case (.table, _): try TextExporter.export(sources, window: window, to: output, progress: progress)
        case (.sound, _):
            notes += words(try WAVExporter.export(sources, window: window, to: output, progress: progress), paths)
        case (.sentences, .gpx): try GPXExporter.export(sources, window: window, to: output, progress: progress)
        case (.sentences, .sageJSON):
            try SageJSONLocationExporter.export(sources, window: window, to: output, progress: progress)
        case (.sentences, _): try PositionCSVExporter.export(sources, window: window, to: output, progress: progress)
        default: notes += try RecordedFile.export(sources, as: format, window: window, to: output, progress: progress)
        }
        try output.finish()
        return notes
    }

    /// Of two participants nothing is made that looks like one's, unless that is wanted.
    private static func refuseStrangers(_ paths: [String]) throws(RecordingError) {
        var first: (participant: String, path: String)?
        for path in paths {
            guard let participant = try RecordedFile(path).description?.participant else { continue }
            guard let known = first else {
                first = (participant, path)
                continue
            }
            guard known.participant != participant else { continue }
            throw .format(
                path: path,
                problem:
                    "is of participant \(participant), but \(known.path) is of \(known.participant); export them separately, "
                    + "or add --join-participants")
        }
    }

    private static func motion(
        _ sources: [RecordedFile], _ options: Options
    ) throws(RecordingError) -> MotionSource? {
        guard sources.first?.content == .motion else { return nil }
        return try MotionSource(sources, window: options.window)
    }

    private static func check(
        _ options: Options, _ content: RecordedContent, _ format: ExportFormat
    ) throws(RecordingError) {
        let isMotion = content == .motion && format == .edf
        if options.events != nil, !isMotion {
            throw .format(path: "--events", problem: "only applies to EDF of motion")
        }
        if options.relativeTo != nil, format != .bids {
            throw .format(path: "--relative-to", problem: "only applies to bids")
        }
    }

    /// By the start that the description tells; files that tell none stay where they are.
    private static func inOrder(_ sources: [RecordedFile]) -> [RecordedFile] {
        guard sources.allSatisfy({ $0.description != nil }) else { return sources }
        return sources.sorted { ($0.description?.number ?? 0) < ($1.description?.number ?? 0) }
    }

    private static func words(_ damage: WAVExporter.Damage, _ paths: [String]) -> [String] {
        let name = paths.joined(separator: ", ")
        var words: [String] = []
        if damage.isDamaged { words.append("\(name): damaged or truncated frames are not in the export") }
        if damage.silence > 0 {
            words.append("\(name): \(damage.silence.text(2)) s are missing and exported as silence")
        }
        return words
    }
}
