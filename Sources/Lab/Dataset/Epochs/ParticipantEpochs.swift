// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports
import Features
import SystemKit

/// What a participant's recordings say minute by minute: activity, wear, sound and places.
///
/// Computed from the samples. A minute of which no samples of acceleration have arrived has the features
/// that the device computed (`[features]`). `DatasetExport` makes one for each participant, several at once.
package struct ParticipantEpochs: Sendable {
    package private(set) var rows: [EpochRow] = []
    package private(set) var positions: [PositionRow] = []
    package private(set) var issues: [DatasetIssue] = []
    private let participant: String
    private let window: ExportWindow
    /// The features to compute (`FeatureCatalog`).
    private static let names: Set = ["enmo", "wear", "sound", "visits"]

    /// Reads all of the recordings.
    package init(of record: ParticipantRecord) {
        (participant, window) = (record.participant.id, record.window)
        // A task's recording repeats the continuous one's samples, or says nothing of the day.
        let kept = record.recordings.filter { $0.start != nil && (!$0.isExtra || $0.isOfFeatures) }
        var enrolments: [String?] = []
        for recording in kept where !enrolments.contains(recording.enrolment) { enrolments.append(recording.enrolment) }
        for enrolment in enrolments { add(kept.filter { $0.enrolment == enrolment }, enrolment) }
        rows.removeAll { !window.contains($0.time.instant, offset: $0.time.offset ?? 0) }
        positions.removeAll { !window.contains($0.time.instant, offset: $0.time.offset ?? 0) }
    }

    private mutating func add(_ recordings: [StudyRecording], _ enrolment: String?) {
        let files = recordings.compactMap { file($0) }
        var streams: [Stream] = []
        for group in Self.groups(of: files) {
            streams +=
                attempt { () throws(FileError) in
                    try FeatureExport.streams(group.files, .minute, Self.names).map { Stream(group.measure, $0) }
                } ?? []
        }
        // Features of acceleration; those of sound and places are in other files (docs/features.md).
        let tables = files.filter {
            $0.description?.kind == "features" && $0.description?.identifier == "features"
        }
        if !tables.isEmpty {
            let features = FeatureCatalog.all.filter { ["enmo", "wear"].contains($0.name) }
            let columns = features.compactMap { $0.columns(.minute) }.flatMap(\.self)
            let measure = streams.compactMap(\.measure).first ?? "features"
            let stream = RecordedFeatures(tables, epoch: .minute, columns: columns)
            streams.append(Stream(measure, stream, isFallback: true))
        }
        merge(&streams, enrolment)
        for file in files where file.content == .sentences { addPositions(file, enrolment) }
    }

    /// Nil for a file that cannot be read, which an issue names, and for one of motion without a sample.
    private mutating func file(_ recording: StudyRecording) -> RecordedFile? {
        let isEmpty = recording.description?.samplesStored == 0
        let found: RecordedFile?? = attempt { () throws(FileError) in
            let file = try RecordedFile(recording.source, named: recording.name, described: recording.description)
            guard file.content == .motion else { return file }
            guard !isEmpty else { return nil }
            // A file without an intact block would end the stream of all the others.
            _ = try MotionSource([file])
            return file
        }
        return found ?? nil
    }

    /// What `body` returns; nil where it throws, which becomes an issue.
    private mutating func attempt<Value>(_ body: () throws(FileError) -> Value) -> Value? {
        do throws(FileError) { return try body() } catch {
            issues.append(.init(.unreadable, participant, "not in epochs.csv: \(error)"))
            return nil
        }
    }

    /// Files that make one stream each: acceleration by name, rate and number of channels; then all
    /// others, the levels and positions.
    private static func groups(of files: [RecordedFile]) -> [(measure: String?, files: [RecordedFile])] {
        var motion: [(key: [String], files: [RecordedFile])] = []
        for file in files where file.content == .motion {
            let description = file.description
            let key = [
                description?.identifier ?? "", "\(description?.nominalRate ?? 0)",
                "\(description?.channels.count ?? 0)",
            ]
            if let place = motion.firstIndex(where: { $0.key == key }) {
                motion[place].files.append(file)
            } else {
                motion.append((key, [file]))
            }
        }
        let others = files.filter { $0.content != .motion && $0.description?.kind != "features" }
        return motion.map { ($0.key[0], $0.files) } + [(nil, others)]
    }
}

// MARK: One minute after another

extension ParticipantEpochs {
    /// Rows of one kind; `row` is the next to be merged.
    private struct Stream {
        let measure: String?
        /// The device computed it: it is used only in minutes without samples.
        let isFallback: Bool
        private let stream: FeatureStream
        private let places: [String: Int]
        private(set) var row: FeatureRow?

        init(_ measure: String?, _ stream: FeatureStream, isFallback: Bool = false) {
            let names = stream.columns.map(\.name)
            places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
            // Streams of sound and positions have no measure; their columns tell which they are.
            self.measure = places["enmo"] == nil ? nil : measure
            (self.stream, self.isFallback) = (stream, isFallback)
        }

        func value(_ name: String) -> Double? { places[name].flatMap { row?.values[$0] } }
        func has(_ name: String) -> Bool { places[name] != nil }
        func offset(at time: Instant) -> Int? { stream.offset(at: time) }
        mutating func advance() throws(FileError) { row = try stream.next() }
    }

    private mutating func merge(_ streams: inout [Stream], _ enrolment: String?) {
        for place in streams.indices { advance(&streams[place]) }
        while let start = streams.compactMap({ $0.row?.epoch.lowerBound }).min() {
            let due = streams.indices.filter { streams[$0].row?.epoch.lowerBound == start }
            add(due.map { streams[$0] }, at: start, enrolment)
            for place in due { advance(&streams[place]) }
        }
    }

    private mutating func advance(_ stream: inout Stream) {
        // Each failure passes over one file, so this ends.
        while attempt({ () throws(FileError) in try stream.advance() }) == nil {}
    }

    private mutating func add(_ streams: [Stream], at start: Instant, _ enrolment: String?) {
        let offset = streams.lazy.compactMap { $0.offset(at: start) }.first
        let time = StudyTime(start, offset: offset)
        var motion = streams.filter { $0.measure != nil }
        if motion.contains(where: { !$0.isFallback }) { motion.removeAll(where: \.isFallback) }
        var minute = motion.map { stream in
            var row = EpochRow(enrolment: enrolment, measure: stream.measure, time: time)
            row.enmo = stream.value("enmo")
            row.isWorn = stream.value("worn").map { $0 > 0.5 }
            row.coverage = stream.row?.coverage ?? 0
            return row
        }
        if minute.isEmpty { minute = [EpochRow(enrolment: enrolment, measure: nil, time: time)] }
        for stream in streams where stream.measure == nil { Self.add(stream, to: &minute[0]) }
        rows += minute
    }

    private static func add(_ stream: Stream, to row: inout EpochRow) {
        if stream.has("laeq") {
            (row.level, row.sound) = (stream.value("laeq"), stream.value("sound").map { Int($0) })
            row.soundCoverage = stream.row?.coverage ?? 0
        } else if stream.has("dwell") {
            (row.dwell, row.isVisit) = (stream.value("dwell"), stream.value("visit").map { $0 > 0.5 })
            row.positionCoverage = stream.row?.coverage ?? 0
        }
    }

    private mutating func addPositions(_ file: RecordedFile, _ enrolment: String?) {
        let offset = file.description?.offsetSeconds
        var found: [PositionRow] = []
        _ = attempt { () throws(FileError) in
            let track = try NMEATrack([file])
            while let epoch = try track.next() {
                guard let time = epoch.time, let (latitude, longitude) = epoch.position else { continue }
                let minute = Epoch.minute.range(of: time)
                // The last position of each minute is kept.
                if let last = found.last, minute.contains(last.time.instant) { found.removeLast() }
                found.append(
                    PositionRow(
                        enrolment: enrolment, time: StudyTime(time, offset: offset), latitude: latitude,
                        longitude: longitude, altitude: epoch.fix.mode == 3 ? epoch.fix.altitudeMSL : nil,
                        dilution: epoch.fix.hdop))
            }
        }
        // Two files may meet within a minute.
        if let first = found.first, let last = positions.last, last.enrolment == enrolment,
            Epoch.minute.range(of: first.time.instant).contains(last.time.instant)
        {
            positions.removeLast()
        }
        positions += found
    }
}
