import SystemKit

// SPDX-License-Identifier: Apache-2.0
@testable import Base
@testable import Device

/// A sample a line: `{"t":12.345678,"v":[1,-2,3]}`, CLOCK_MONOTONIC in seconds and the chip's counts; `{"t":13.1,"missing":7}` for a gap.
struct JSONLinesWriter: SegmentEncoder {
    static let fileExtension = "jsonl"
    static let contentType = "application/x-ndjson"
    private(set) var stored = 0

    mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) { stored = 0 }

    mutating func append(
        _ frame: VectorFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        let counts = (0..<Int(frame.count)).map { "\(frame.values[$0])" }.joined(separator: ",")
        out += "{\"t\":\(UptimeText.text(time)),\"v\":[\(counts)]}\n".utf8
        stored += 1
    }

    mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int {
        out += "{\"t\":\(UptimeText.text(gap.time)),\"missing\":\(gap.samples)}\n".utf8
        return 0
    }

    mutating func finish(
        to out: inout [UInt8]
    ) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) { (0, []) }
}

extension RecordingFormat {
    package static let jsonLines = RecordingFormat(rawValue: "jsonl")
}

extension RecordedContent {
    package static let jsonLines = RecordedContent("JSON lines")
}

struct JSONLinesFormat: FormatKind {
    let format = RecordingFormat.jsonLines
    let title = "JSON lines"
    let measures = [MeasureKind.magnetometer]
    let shrinks = true
    let isText = true
    let content = RecordedContent.jsonLines

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> JSONLinesWriter { JSONLinesWriter() }

    /// Up to the last whole line; what is missing stands in the file itself.
    func survey(_ file: File, _ draft: RecordingDescription) throws(FileError) -> SegmentSurvey {
        var survey = SegmentSurvey()
        var last = draft.startUptime
        survey.bytes = try LineScan.whole(file) { line in
            guard let (time, missing) = Self.read(line) else { return }
            if let missing {
                survey.record(
                    .init(
                        startUptime: last, endUptime: time, samples: missing, reason: "unknown",
                        position: survey.stored))
            } else {
                survey.stored += 1
                survey.duration = time - draft.startUptime
                last = time
            }
        }
        return survey
    }

    func recognises(line: ArraySlice<UInt8>, isStrict: Bool) -> Bool { Self.read(line) != nil }

    func summary(of file: File, _ name: String) throws(FileError) -> RecordingSummary? {
        var (times, lost): ([Double], Int) = ([], 0)
        _ = try LineScan.whole(file) { line in
            guard let (time, missing) = Self.read(line) else { return }
            if let missing { lost += missing } else { times.append(time) }
        }
        return RecordingSummary(
            name: name, kind: nil, format: format.rawValue, device: nil, start: nil, offset: nil,
            duration: (times.last ?? 0) - (times.first ?? 0), rate: nil, countedUnit: .samples, stored: times.count,
            lost: lost, bytes: try file.size(), state: "foreign", remarks: [])
    }

    func check(
        _ file: File, isCompressed: Bool, _ description: RecordingDescription?, _ found: inout ContentCheck
    ) throws(FileError) {
        let lines = try TextLines(file, isCompressed: isCompressed)
        var number = 0
        while let line = try lines.next() {
            number += 1
            guard let (time, missing) = Self.read(line) else {
                if !lines.isTorn { found.problems.append("line \(number) is damaged") }
                continue
            }
            if let last = found.last, time < last { found.noise.append("line \(number) goes back in time") }
            (found.first, found.last) = (found.first ?? time, time)
            if missing == nil { found.stored += 1 }
        }
        if lines.isTorn { found.problems.append("the last line is truncated") }
    }

    /// The time of a line, and how many samples are missing before it.
    private static func read(_ line: ArraySlice<UInt8>) -> (time: Double, missing: Int?)? {
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix("{\"t\":") else { return nil }
        let parts = text.dropFirst(5).split(separator: ",", maxSplits: 1)
        guard parts.count == 2, let time = Double(parts[0]) else { return nil }
        if parts[1].hasPrefix("\"v\":[") { return (time, nil) }
        guard parts[1].hasPrefix("\"missing\":") else { return nil }
        return Int(parts[1].dropFirst(10).prefix { $0.isNumber }).map { (time, $0) }
    }
}
