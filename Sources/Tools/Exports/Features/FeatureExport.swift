// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// Features of recordings as one table, a row for each epoch, for `studyd-tools features`; the lab's
/// `ParticipantEpochs` takes `streams`.
package enum FeatureExport {
    /// Writes the features of one participant's files, and finishes `output`; `names` nil = all that the
    /// files allow. `opened` maps a path to one that can be read (of an encrypted file, its opened copy).
    /// Returns what the person should know.
    package static func run(
        _ paths: [String], epoch: Epoch, names: [String]?,
        opened: (String) throws(FileError) -> String = { path throws(FileError) in path },
        to output: () throws(FileError) -> ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        var (files, remarks): ([RecordedFile], [String]) = ([], [])
        for path in try RecordingSelection.files(paths) {
            do throws(FileError) { files.append(try RecordedFile(opened(path))) } catch {
                // A file that was named must be readable; one of a folder is left out.
                if paths.contains(path) { throw error }
                remarks.append("left out: \(error)")
            }
        }
        try RecordingExport.refuseMixedParticipants(files, remedy: "give the files of one participant")
        let streams = try streams(files, epoch, Set(names ?? FeatureCatalog.names))
        for stream in streams { try SensorSpan.refuseTwoSensors(stream.files, remedy: "give the files of one of them") }
        try check(names, streams, files, epoch)
        let output = try output()
        try write(streams, epoch, files, to: output, progress: progress)
        try output.finish()
        return remarks + streams.flatMap(\.remarks)
    }

    /// A stream for each kind of file from which any of the features can be computed; acceleration first.
    package static func streams(
        _ files: [RecordedFile], _ epoch: Epoch, _ names: Set<String>
    ) throws(FileError) -> [FeatureStream] {
        var streams: [FeatureStream] = []
        let motion = files.filter { $0.content == .motion }
        if let stream = try motionStream(motion, epoch, names) { streams.append(stream) }
        let tables = files.filter(LevelFeatureFile.recognises)
        let levels = FeatureCatalog.levels(names, epoch)
        if !tables.isEmpty, !levels.isEmpty {
            let run = FeatureRun(levels, epoch: epoch, rate: 1)
            streams.append(FileFeatures<LevelFeatureFile>(tables, run, rate: 1, coverage: "sound_coverage"))
        }
        let sentences = files.filter { $0.content == .sentences }
        let positions = FeatureCatalog.positions(names, epoch)
        if !sentences.isEmpty, !positions.isEmpty {
            let run = FeatureRun(positions, epoch: epoch, rate: 1)
            streams.append(FileFeatures<PositionFeatureFile>(sentences, run, rate: 1, coverage: "position_coverage"))
        }
        return streams
    }

    private static func motionStream(
        _ files: [RecordedFile], _ epoch: Epoch, _ names: Set<String>
    ) throws(FileError) -> FeatureStream? {
        guard !files.isEmpty else { return nil }
        let source = try MotionSource(files)
        guard let rate = try CWATimeline(source.files[0]).next()?.block.rate else { return nil }
        let features = FeatureCatalog.motion(names, MotionSetting(epoch: epoch, rate: rate))
        guard !features.isEmpty else { return nil }
        let run = FeatureRun(features, epoch: epoch, rate: rate)
        return FileFeatures<MotionFeatureFile>(
            source.files, run, rate: rate, coverage: "coverage", notes: source.notes)
    }

    /// Throws where a named feature cannot be computed: an empty column would look like a measurement.
    private static func check(
        _ names: [String]?, _ streams: [FeatureStream], _ files: [RecordedFile], _ epoch: Epoch
    ) throws(FileError) {
        if names?.isEmpty == true {
            throw .format(
                path: "--is", problem: "names no feature; use \(FeatureCatalog.names.joined(separator: ", "))")
        }
        let there = Set(streams.flatMap { $0.columns.map(\.name) })
        for name in names ?? [] {
            guard let entry = FeatureCatalog.all.first(where: { $0.name == name }) else {
                throw .format(
                    path: "--is",
                    problem: "'\(name)' is no feature; use \(FeatureCatalog.names.joined(separator: ", "))")
            }
            guard let columns = entry.columns(epoch), !there.isSuperset(of: columns.map(\.name)) else { continue }
            if case .motion = entry.maker, let file = files.first(where: { $0.content == .motion }),
                let rate = try CWATimeline(file).next()?.block.rate
            {
                throw .format(
                    path: "--is", problem: "\(name) cannot be made of \(rate) samples per second, as \(file.name) has")
            }
            throw .format(path: "--is", problem: "\(name) needs \(entry.needs), which is not among the files")
        }
        if streams.isEmpty {
            throw .format(
                path: files.first?.file.path ?? "",
                problem: "holds nothing that features are made of: acceleration, levels in dB, positions")
        }
    }

    private static func write(
        _ streams: [FeatureStream], _ epoch: Epoch, _ files: [RecordedFile], to output: ExportOutput,
        progress: (Double) -> Void
    ) throws(FileError) {
        let columns = streams.flatMap(\.columns)
        let first = files.first?.nameInOneLine ?? ""
        output.text("#features of \(first)\(files.count > 1 ? " and \(files.count - 1) more" : "")\n")
        output.text("#epoch \(epoch.length.text), from multiples of it in UTC\n")
        if columns.contains(where: { $0.name == "sound" }) { output.text("#sound 0 quiet, 1 talk, 2 loud\n") }
        let names = columns.map(\.name) + streams.map(\.coverage)
        output.text("#units \((["", ""] + columns.map(\.unit) + streams.map { _ in "1" }).joined(separator: ","))\n")
        output.text("time,local,\(names.joined(separator: ","))\n")
        // The next row of each stream; those of the earliest epoch become one line.
        var rows: [FeatureRow?] = []
        for stream in streams { rows.append(try stream.next()) }
        var count = 0
        while let start = rows.compactMap({ $0?.epoch.lowerBound }).min() {
            write(start, streams, rows, to: output)
            for index in rows.indices where rows[index]?.epoch.lowerBound == start {
                rows[index] = try streams[index].next()
            }
            try output.drain()
            count += 1
            if count % 16 == 0 { progress(streams.reduce(0) { $0 + $1.progress } / Double(streams.count)) }
        }
    }

    private static func write(
        _ start: Instant, _ streams: [FeatureStream], _ rows: [FeatureRow?], to output: ExportOutput
    ) {
        output.text(start.rfc3339Zulu())
        output.text(",")
        if let place = rows.firstIndex(where: { $0?.epoch.lowerBound == start }),
            let offset = streams[place].offset(at: start)
        {
            output.text(LocalDateTime(start, offset: offset).text(fractionDigits: 0) + Zone.text(offset: offset))
        }
        for (stream, row) in zip(streams, rows) {
            let values = row?.epoch.lowerBound == start ? row?.values : nil
            for (index, column) in stream.columns.enumerated() {
                output.text(",")
                if let value = values?[index] { output.number(value, column.decimals) }
            }
        }
        for row in rows {
            output.text(",")
            if let row, row.epoch.lowerBound == start { output.number(row.coverage, 3) } else { output.text("0") }
        }
        output.text("\n")
    }
}
