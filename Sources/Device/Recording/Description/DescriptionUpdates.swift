// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import SystemKit

/// How a description comes about. `OpenSegment` makes it with `init` and `apply` when a file begins, and completes
/// it at the end: `setFirstSample(at:)`, `setClock`, the clock error, `setRate`, which needs that error, and then
/// `setCounts`, which converts the rate too.
extension RecordingDescription {
    package init(_ context: SegmentContext, fileName: String, contentType: String, countedUnit: CountedUnit) {
        self.init(fileName: fileName, contentType: contentType, countedUnit: countedUnit)
        let (source, measure, origin) = (context.source, context.measure, context.origin)
        identifier = measure.identifier
        task = measure.task
        number = context.number
        kind = source.kind.rawValue
        format = measure.format.rawValue
        startUptime = Double(context.start.nanoseconds) / 1e9
        endUptime = startUptime
        study = origin.study
        participant = origin.participant
        deviceNumber = origin.deviceID
        bodyLocation = measure.bodyLocation
        device = source.device
        location = source.location
        software = origin.software
        channels = source.channels.map(ChannelNote.init)
        nominalRate = source.nominalRate
        fullScale = source.fullScale
        mountingMatrix = source.mounting
        calibration = measure.calibration
        bootID = origin.bootID
        zone = origin.zone.identifier
        clock = context.anchor == nil ? .pending : .anchored
        syncInterval = measure.syncInterval.seconds
        if let anchor = context.anchor { setClock(anchor, offset: context.offset) }
    }

    /// CLOCK_MONOTONIC of the first sample.
    package var start: MonotonicTime { MonotonicTime(seconds: startUptime) }
    /// CLOCK_MONOTONIC from which on samples are in the file or counted as lost by it.
    package var begun: MonotonicTime { MonotonicTime(seconds: begunUptime ?? startUptime) }
    /// CLOCK_MONOTONIC of the last sample.
    package var end: MonotonicTime { MonotonicTime(seconds: endUptime) }

    package var totalLost: Int { samplesLost.values.reduce(0, +) }

    /// What is wrong with the text, and in which member.
    private static func problem(_ error: any Error) -> String {
        let path: [any CodingKey] =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            default: []
            }
        guard !path.isEmpty else { return "its JSON is cut short or damaged" }
        return "\(path.map { $0.stringValue }.joined(separator: ".")) is missing or wrong"
    }

    /// Reads a description from JSON, which the caller has bounded.
    package init(json: [UInt8], path: String) throws(FileError) {
        do {
            self = try JSONDecoder().decode(RecordingDescription.self, from: Data(json))
        } catch {
            throw .format(path: path, problem: "is not a recording description: \(Self.problem(error))")
        }
        guard isPlausible else {
            throw .format(path: path, problem: "contains impossible numbers; the file is damaged")
        }
        // Following a description that names a description could go round in a circle.
        let file = RecordingFileIndex.originalName(of: relativePath)
        guard !file.hasSuffix(".json"), !file.hasSuffix(".open") else {
            throw .format(path: path, problem: "names a description, \(relativePath), as its recording")
        }
    }

    init(_ name: String, in folder: DiskFolder) throws(FileError) {
        try self.init(json: folder.contents(of: name), path: folder.file(name))
    }

    /// False for numbers that no recorder writes, with which arithmetic would overflow.
    private var isPlausible: Bool {
        let lost = [samplesLost, resampled?.samplesLost ?? [:]]
        var seconds = [startUptime, endUptime, syncInterval, begunUptime ?? 0]
        var counts = [number, samplesStored, gapsOmitted, bytesCut, bytes, resampled?.samplesStored ?? 0]
        counts += lost.flatMap(\.values)
        for gap in gaps {
            seconds += [gap.startUptime, gap.endUptime]
            counts += [gap.samples, gap.position]
        }
        for anchor in anchors { seconds += [anchor.uptime, anchor.uncertainty, anchor.carried ?? 0] }
        let asked = [nominalRate, resampled?.nominalRate ?? 0]
        let measured = [measuredRate, resampled?.measuredRate].compactMap(\.self)
        return seconds.allSatisfy { $0 >= 0 && $0 < 1e9 } && counts.allSatisfy { $0 >= 0 && $0 < 1 << 48 }
            && asked.allSatisfy { $0 >= 0 && $0 <= 1e7 } && measured.allSatisfy { $0 >= 1e-6 && $0 <= 1e7 }
            && lost.allSatisfy { $0.count <= 64 } && gaps.count <= Self.gapLimit
    }

    /// Sets the time of the first sample in the file, which may be later than the first one taken for it: then
    /// what lies between is lost. A resampler moves it by a sample or two, which is no loss.
    mutating func setFirstSample(at uptime: Double) {
        if (uptime - startUptime) * nominalRate > 3 { begunUptime = startUptime }
        startUptime = uptime
    }

    /// Wall times by an anchor of the file's boot.
    mutating func setClock(_ anchor: ClockAnchor, offset seconds: Int) {
        clock = .anchored
        offset = Zone.text(offset: seconds)
        record(anchor)
        startDate = anchor.instant(at: MonotonicTime(seconds: startUptime)).rfc3339(offset: seconds)
        endDate = anchor.instant(at: MonotonicTime(seconds: endUptime)).rfc3339(offset: seconds)
        for index in gaps.indices {
            let (start, end) = (gaps[index].startUptime, gaps[index].endUptime)
            gaps[index].startDate = anchor.instant(at: MonotonicTime(seconds: start)).rfc3339(offset: seconds)
            gaps[index].endDate = anchor.instant(at: MonotonicTime(seconds: end)).rfc3339(offset: seconds)
        }
    }

    /// The anchor to compute the file's times from: of the trusted ones that with the least error at the file, the
    /// clock's drift between anchor and file included. Nil without a trusted one.
    func best(of anchors: [ClockAnchor]) -> ClockAnchor? {
        func error(_ anchor: ClockAnchor) -> Double {
            let time = Double(anchor.monotonic.nanoseconds) / 1e9
            let away = max(0, startUptime - time, time - endUptime)
            return anchor.uncertainty.seconds + WallClockError.drift * away
        }
        return anchors.filter(\.isTrusted).min { error($0) < error($1) }
    }

    /// Sets the clock error of a file whose times are computed from its first anchor; `anchors` are all of its
    /// boot.
    mutating func updateClockError(_ anchors: [ClockAnchor]) {
        guard let mapping = self.anchors.first.flatMap({ $0.anchor }) else { return }
        clockError = WallClockError(by: mapping, anchors).bound(
            from: MonotonicTime(seconds: startUptime), to: MonotonicTime(seconds: endUptime))
    }

    /// A rate by CLOCK_MONOTONIC. That clock's own rate is off by its crystal's error; where the kernel
    /// steers it, by `steering` and by one fast slew of at most the anchors' uncertainty; and by no more than
    /// the errors of UTC at both ends of the file allow.
    mutating func setRate(_ rate: Double, error: Double) {
        let isSteered = anchors.contains { $0.source == ClockAnchor.Source.kernel.rawValue }
        let duration = endUptime - startUptime
        let slewed = min(WallClockError.fastSlew, anchors.map(\.uncertainty).max() ?? WallClockError.fastSlew)
        let steered = WallClockError.steering + (duration > 0 ? slewed / duration : 0)
        let free = WallClockError.drift + (isSteered ? steered : 0)
        let clock = clockError.map { duration > 0 ? min(free, 2 * $0 / duration) : free } ?? free
        measuredRate = rate
        measuredRateError = error + rate * clock
    }

    /// Sets the file's channels and rate, where they are not the source's own.
    mutating func apply(_ layout: FileLayout) {
        channels = layout.channels
        fields = layout.fields
        guard let rate = layout.resampledRate else { return }
        resampled = ResamplingNote(nominalRate: nominalRate, samplesStored: 0, samplesLost: [:])
        nominalRate = rate
    }

    /// Sets what the finished file holds, and turns losses and rate, which have been the source's
    /// until now, into the file's where it was resampled.
    mutating func setCounts(stored: Int, inFile: Int, layout: FileLayout?, source: SourceDescription) {
        samplesStored = inFile
        guard let layout, resampled != nil else { return }
        let ratio = layout.ratio(to: source.nominalRate)
        resampled?.samplesStored = stored
        resampled?.samplesLost = samplesLost
        resampled?.measuredRate = measuredRate
        samplesLost = samplesLost.mapValues { Int((Double($0) * ratio).rounded()) }
        measuredRate = measuredRate.map { $0 * ratio }
        measuredRateError = measuredRateError.map { $0 * ratio }
    }

    /// Samples that the source gave for this file and that it holds: for the ledger, which
    /// counts the source's.
    package var sourceStored: Int { resampled?.samplesStored ?? samplesStored }
    /// Samples per second of the source: as measured, else as asked for.
    package var sourceRate: Double {
        resampled.map { $0.measuredRate ?? $0.nominalRate } ?? measuredRate ?? nominalRate
    }
    /// Samples that the source should have given but that are not in the file, by reason.
    package var sourceLost: [String: Int] { resampled?.samplesLost ?? samplesLost }

    mutating func lose(_ count: Int, _ reason: LossReason) {
        if count > 0 { samplesLost["\(reason)", default: 0] += count }
    }
}

extension MonotonicTime {
    /// Clamped to ±9e18 ns, some 285 years.
    init(seconds: Double) { self.init(nanoseconds: Int64(max(-9e18, min(9e18, (seconds * 1e9).rounded())))) }
}
