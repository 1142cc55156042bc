// SPDX-License-Identifier: Apache-2.0
import Base

/// What `studyd recordings` says about one file: what, when, how long, how much is missing.
package struct RecordingSummary: Sendable, Hashable {
    /// The file's name without folders.
    package var name: String
    /// `accelerometer`, `sound`, ...; nil for a foreign file that does not say.
    var kind: String?
    /// `cwa`, `flac`, `nmea`, `csv`, `levels`, `events`.
    package var format: String
    /// The device that measured, where the file says.
    var device: String?
    package var start: Instant?
    /// Seconds east of UTC for showing `start`; nil where the file has wall time without a
    /// zone, shown as it is.
    var offset: Int?
    /// Seconds from the first sample to the last.
    package var duration: Double
    /// Samples per second, measured where known.
    package var rate: Double?
    /// What `stored` and `lost` count.
    var countedUnit: CountedUnit
    package var stored: Int
    package var lost: Int
    /// Bytes on disk.
    package var bytes: Int
    /// `recording`, `waiting for the clock`, `sealed`, `foreign`.
    package var state: String
    /// Whatever else should be known: damage, gaps, recovery.
    package var remarks: [String]
    /// The error bars of its times: of the wall clock, of the samples among each other, of the
    /// rate; empty where none are known.
    package var errors: [String] = []
    /// Samples per second that were asked for, where `rate` is a measured one.
    var nominalRate: Double?

    /// The share of what was due that is in the file, 0...1; nil for an empty file.
    package var coverage: Double? { stored + lost > 0 ? Double(stored) / Double(stored + lost) : nil }
}

extension RecordingSummary {
    /// The summary of one of our recordings; `bytes` are those on disk.
    package init(_ description: RecordingDescription, bytes: Int) {
        var remarks = description.gaps.prefix(20).map { gap in
            let (start, end) = (
                gap.startDate ?? "uptime \(gap.startUptime) s", gap.endDate ?? "uptime \(gap.endUptime) s"
            )
            return "gap of \(gap.samples) \(description.countedUnit) (\(gap.reason)) from \(start) to \(end)"
        }
        let more = description.gaps.count - remarks.count + description.gapsOmitted
        if more > 0 { remarks.append("more gaps: \(more)") }
        if let note = description.age { remarks.append("sealed by age to \(Plural.of(note.recipients, "key"))") }
        if description.isRecovered { remarks.append("ended by a power cut; \(description.bytesCut) bytes cut off") }
        if description.isLossUnknown == true {
            remarks.append(
                "\(description.countedUnit) that were not on the disk by then are missing; how many is unknown")
        }
        switch description.clock {
        case .anchored: break
        case .pending: remarks.append("the clock is not known yet")
        case .unknown: remarks.append("clock unknown: only times since boot are right")
        }
        let states: [RecordingDescription.State: String] = [.open: "recording", .finished: "waiting for the clock"]
        self.init(
            name: description.state == .sealed ? description.relativePath : description.partialName,
            kind: description.kind, format: description.format, device: description.device,
            start: description.startDate.flatMap(Instant.parsed), offset: description.offsetSeconds,
            duration: description.endUptime - description.startUptime,
            rate: description.measuredRate ?? (description.nominalRate > 0 ? description.nominalRate : nil),
            countedUnit: description.countedUnit,
            stored: description.samplesStored, lost: description.totalLost, bytes: bytes,
            state: states[description.state] ?? "sealed", remarks: remarks)
        errors = Self.errors(of: description)
        nominalRate = description.measuredRate == nil ? nil : description.nominalRate
        if let source = description.resampled {
            let measured = source.measuredRate.map { ", measured \(Decimals.text($0, 3))" } ?? ""
            self.remarks.append(
                "resampled from the chip's \(Decimals.text(source.nominalRate, 3)) per second\(measured)")
        }
    }

    private static func errors(of description: RecordingDescription) -> [String] {
        var errors: [String] = []
        if description.clock == .anchored, let anchor = description.anchors.first {
            let carried = anchor.carried.map { ", free-running for \(Duration.seconds(Int64($0)).text)" } ?? ""
            if let error = description.clockError {
                errors.append("wall clock ± \(duration(error)), by \(anchor.source)\(carried)")
            } else {
                errors.append(
                    "wall clock ± \(duration(anchor.uncertainty)) when it began, by \(anchor.source)\(carried)")
            }
        }
        if let error = description.timeError { errors.append(samples(error, steady: description.steadyTimeError)) }
        if let error = description.measuredRateError {
            errors.append("rate ± \(Decimals.text(error, error < 0.001 ? 6 : 4)) per second")
        }
        return errors
    }

    private static func samples(_ largest: Double, steady: Double?) -> String {
        guard let steady, duration(steady) != duration(largest) else {
            return "samples ± \(duration(largest)) relative to each other"
        }
        return
            "samples ± \(duration(steady)) relative to each other, at most \(duration(largest)) in the first minute of "
            + "the sensor and the minute after a gap"
    }

    /// `0.25 s`, `1.2 ms`.
    private static func duration(_ seconds: Double) -> String {
        seconds >= 0.1 ? "\(Decimals.text(seconds, 2)) s" : "\(Decimals.text(seconds * 1_000, 2)) ms"
    }

    /// The whole summary, one line per fact.
    package var text: String {
        var lines = ["file      \(name)", "what      \(kind ?? "unknown") as \(format), \(state)"]
        if let device { lines.append("device    \(device)") }
        lines.append("start     \(startText)")
        lines.append("length    \(durationText)")
        if let rate {
            let nominal = nominalRate.map { " measured, \(Decimals.text($0, 3)) nominal" } ?? ""
            lines.append("rate      \(Decimals.text(rate, 3)) per second\(nominal)")
        }
        lines += errors.map { "accuracy  \($0)" }
        lines.append("stored    \(stored) \(countedUnit)")
        lines.append("lost      \(lost)\(coverage.map { " (coverage \(Decimals.text($0 * 100, 2)) %)" } ?? "")")
        lines.append("size      \(Self.size(bytes))")
        lines += remarks.map { "note      \($0)" }
        return lines.map { $0.shown + "\n" }.joined()
    }

    /// The same as one JSON object without a line end.
    package var json: String {
        func number(_ value: Double?, _ digits: Int) -> JSONText? { value.map { .spelled(Decimals.text($0, digits)) } }
        return JSONText.object([
            "file": .string(name), "kind": kind.map { .string($0) }, "format": .string(format),
            "device": device.map { .string($0) }, "start": startTime.map { .string($0) },
            "seconds": number(duration, 3), "rate": number(rate, 3), "nominalRate": number(nominalRate, 3),
            "unit": .string(countedUnit.rawValue), "stored": .integer(Int64(stored)), "lost": .integer(Int64(lost)),
            "coverage": number(coverage, 4), "bytes": .integer(Int64(bytes)), "state": .string(state),
            "errors": .array(errors.map { .string($0) }), "remarks": .array(remarks.map { .string($0) }),
        ]).text
    }

    /// The start in RFC 3339, without an offset where the file has none.
    private var startTime: String? {
        start.map { offset == nil ? String($0.rfc3339(offset: 0).dropLast()) : $0.rfc3339(offset: offset ?? 0) }
    }

    package var startText: String {
        startTime.map { offset == nil ? $0 + " (local time, no zone)" : $0 } ?? "unknown"
    }

    /// `1:02:03`: hours, minutes, seconds.
    package var durationText: String {
        let seconds = Int(max(0, duration).rounded())
        return "\(seconds / 3600):\((seconds / 60 % 60).padded(2)):\((seconds % 60).padded(2))"
    }

    /// `36.9 MB`.
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) B"
        case ..<1_000_000: "\(Decimals.text(Double(bytes) / 1e3, 1)) kB"
        default: "\(Decimals.text(Double(bytes) / 1e6, 1)) MB"
        }
    }
}
