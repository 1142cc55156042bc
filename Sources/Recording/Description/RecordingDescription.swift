// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Samples
import Times

/// What a recording is: the JSON beside its file, modelled on SageResearch's file result.
package struct RecordingDescription: Sendable, Hashable, Codable {
    /// How far the file is.
    package enum State: String, Sendable, Codable {
        /// It is being written, or a power cut ended it.
        case open
        /// It is complete but waits for its boot's first anchor.
        case finished
        /// It never changes again.
        case sealed
    }

    /// What is known of wall time.
    package enum ClockState: String, Sendable, Codable {
        /// Times are right, to the anchors' uncertainty.
        case anchored
        /// No anchor yet: times in the file count from the start of the boot.
        case pending
        /// Its boot ended without an anchor. Only uptimes mean something.
        case unknown
    }

    /// The version of docs/recording.schema.json that it is written by; absent in descriptions before there was one.
    package var schemaVersion: Int? = Self.currentSchema
    /// The program that recorded: `studyd 0.9.0`.
    package var software: String?
    /// Always `file`.
    package var type = "file"
    /// The measure's identifier in the study.
    package var identifier: String
    /// The run it was recorded for; absent for what is recorded all the time.
    package var task: TaskNote?
    /// The recording number, unique on the device for ever.
    package var number: Int
    /// `accelerometer`, `sound`, ... (`MeasureKind`).
    package var kind: String
    /// `cwa`, `csv`, ... (`RecordingFormat`).
    package var format: String
    /// How far the file is.
    package var state: State
    /// RFC 3339 at the offset of the file; absent while the clock is unknown.
    package var startDate: String?
    /// RFC 3339; absent while the clock is unknown.
    package var endDate: String?
    /// CLOCK_MONOTONIC of the first sample, in seconds.
    package var startUptime: Double
    /// CLOCK_MONOTONIC of the first sample that was taken for the file, where that is not in it (filters settled, a silence came before the first
    /// whole unit): what lies between is in `samplesLost`. nil where it is.
    package var begunUptime: Double?
    /// CLOCK_MONOTONIC of the last sample, in seconds.
    package var endUptime: Double
    /// The file's name, in the folder of this description.
    package var relativePath: String
    /// Media type of the content.
    package var contentType: String
    /// `gzip` where the file is compressed.
    package var contentEncoding: String?
    /// The study's identifier.
    package var study: String
    /// The participant's code.
    package var participant: String?
    /// A stable number of the device that recorded.
    package var deviceNumber: UInt32
    /// Where on the body it was worn.
    package var bodyLocation: String?
    /// The chip or device that measured.
    package var device: String
    /// Where that is: `i2c-1 0x18`.
    package var location: String
    /// The file's channels, in the order of the file.
    package var channels: [ChannelNote]
    /// Samples per second of the file that were asked for.
    package var nominalRate: Double
    /// What the chip gave, where the file's samples were computed from it at another rate.
    package var resampled: ResamplingNote?
    /// What the format's fields of temperature, battery and light hold; absent for formats without them.
    package var fields: FieldNotes?
    /// Full scale in the channels' unit, 0 where there is none.
    package var fullScale: Double
    /// Rows that turn a sample, which is in the chip's axes, into the device's; absent where the board file does not say.
    package var mountingMatrix: [[Double]]?
    /// dB added to dBFS.
    package var calibration: Double?
    /// Samples per second of the file by the regression; absent where samples have no rate.
    package var measuredRate: Double?
    /// The largest error of `measuredRate` that is expected, one side, per true second: that of CLOCK_MONOTONIC is in it.
    package var measuredRateError: Double?
    /// The largest expected error of a sample's uptime, one side, in seconds, by CLOCK_MONOTONIC. The error of wall time adds
    /// `clockError`. Absent where nobody knows, as in a file that a power cut ended.
    package var timeError: Double?
    /// The same beyond the first minute of a source and the minute after each gap; absent where the file holds nothing else.
    package var steadyTimeError: Double?
    /// The largest expected error of the file's UTC against the truth, one side, in seconds, the samples' own apart: by every anchor of
    /// the boot around and within the file. Absent while it is open and where the clock is unknown.
    package var clockError: Double?
    /// The boot whose monotonic clock the uptimes are of.
    package var bootID: String
    /// The participant's zone, `Europe/Berlin`.
    package var zone: String
    /// `+01:00`: the offset of the wall times in the file, in force when it began.
    package var offset: String?
    /// What is known of wall time.
    package var clock: ClockState
    /// Pairs of uptime and UTC of the file's boot, the one its times are by first.
    package var anchors: [AnchorNote]
    /// How often the file was made durable, in seconds.
    package var syncInterval: Double
    /// What is counted below: `samples`, `bytes`, `events`.
    package var countedUnit: String
    /// So many are in whole units of the file.
    package var samplesStored: Int
    /// Of the file's rate, by reason (`LossReason`): in its gaps, before its first sample where that was given up, and directly behind its last
    /// one, where a gap ended it.
    package var samplesLost: [String: Int]
    /// Where samples are missing inside the file.
    package var gaps: [GapNote]
    /// Gaps beyond those listed.
    package var gapsOmitted: Int
    /// True when a power cut or a crash ended the file. `samplesLost.powerCut` is then the most samples that can be missing.
    package var isRecovered: Bool
    /// True where bytes or events were in memory then, and nobody can say how many; else absent.
    package var isLossUnknown: Bool?
    /// Bytes of a torn end that were cut off.
    package var bytesCut: Int
    /// Bytes of the file, 0 until sealed.
    package var bytes: Int
    /// Of the file, 64 hexadecimal digits; empty until sealed.
    package var sha256: String
    /// SHA-256 of the description itself with 64 zeros in this place (`DescriptionSeal`).
    package var seal: String?

    /// The description of a file that begins now.
    package init(_ context: SegmentContext, fileName: String, contentType: String, countedUnit: String) {
        let (source, measure, origin) = (context.source, context.measure, context.origin)
        identifier = measure.identifier
        task = measure.task
        number = context.number
        kind = source.kind.rawValue
        format = measure.format.rawValue
        state = .open
        startUptime = Double(context.start.nanoseconds) / 1e9
        endUptime = startUptime
        relativePath = fileName
        self.contentType = contentType
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
        anchors = []
        syncInterval = measure.syncInterval.seconds
        self.countedUnit = countedUnit
        samplesStored = 0
        samplesLost = [:]
        gaps = []
        gapsOmitted = 0
        isRecovered = false
        bytesCut = 0
        bytes = 0
        sha256 = ""
        if let anchor = context.anchor { setClock(anchor, offset: context.offset) }
    }
}

extension RecordingDescription {
    /// CLOCK_MONOTONIC of the first sample.
    package var start: MonotonicTime { MonotonicTime(seconds: startUptime) }
    /// CLOCK_MONOTONIC from which on samples are in the file or counted as lost by it.
    package var begun: MonotonicTime { MonotonicTime(seconds: begunUptime ?? startUptime) }
    /// CLOCK_MONOTONIC of the last sample.
    package var end: MonotonicTime { MonotonicTime(seconds: endUptime) }

    /// Samples that are missing, for any reason.
    package var totalLost: Int { samplesLost.values.reduce(0, +) }

    /// The version of the schema that descriptions are written by now.
    private static let currentSchema = 1

    /// Reads a description from JSON of at most 4 MB.
    package init(json: [UInt8], path: String) throws(RecordingError) {
        do {
            self = try JSONDecoder().decode(RecordingDescription.self, from: Data(json))
        } catch {
            throw .format(path: path, problem: "is not a recording description: \(error)")
        }
        guard isPlausible else {
            throw .format(path: path, problem: "contains impossible numbers; the file is damaged")
        }
    }

    /// False for numbers that no recorder writes, with which arithmetic would overflow.
    private var isPlausible: Bool {
        let seconds = [startUptime, endUptime, syncInterval, begunUptime ?? 0]
        let counts = [number, samplesStored, gapsOmitted, bytesCut, bytes] + samplesLost.values
        return seconds.allSatisfy { $0 >= 0 && $0 < 1e9 } && (0...1e7).contains(nominalRate)
            && counts.allSatisfy { $0 >= 0 && $0 < 1 << 48 } && samplesLost.count <= 64
    }

    /// The first sample in the file is of `uptime`, which may be later than the first that was taken for it; a resampler's is by a sample or two.
    mutating func begin(at uptime: Double) {
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

    /// What the file's times are best reckoned from: the source that is surest at the file, its drift until there included.
    func best(of anchors: [ClockAnchor]) -> ClockAnchor? {
        func error(_ anchor: ClockAnchor) -> Double {
            let time = Double(anchor.monotonic.nanoseconds) / 1e9
            let away = max(0, startUptime - time, time - endUptime)
            return anchor.uncertainty.seconds + WallClockError.drift * away
        }
        return anchors.filter(\.isTrusted).min { error($0) < error($1) }
    }

    /// Of a file whose times are by its first anchor, with the others of its boot.
    mutating func reckonClockError(_ anchors: [ClockAnchor]) {
        guard let mapping = self.anchors.first.flatMap({ $0.anchor }) else { return }
        clockError = WallClockError(by: mapping, anchors).bound(
            from: MonotonicTime(seconds: startUptime), to: MonotonicTime(seconds: endUptime))
    }

    /// A rate by CLOCK_MONOTONIC, which itself goes at the rate of a crystal, perhaps steered, and no further wrong than the clock at
    /// both ends of the file.
    mutating func setRate(_ rate: Double, error: Double) {
        let isSteered = anchors.contains { $0.source == ClockAnchor.Source.kernel.rawValue }
        let free = WallClockError.drift + (isSteered ? WallClockError.steering : 0)
        let duration = endUptime - startUptime
        let clock = clockError.map { duration > 0 ? min(free, 2 * $0 / duration) : free } ?? free
        measuredRate = rate
        measuredRateError = error + rate * clock
    }

    /// The channels and the rate of a file that are not the source's own.
    mutating func apply(_ layout: FileLayout) {
        channels = layout.channels
        fields = layout.fields
        guard let rate = layout.resampledRate else { return }
        resampled = ResamplingNote(nominalRate: nominalRate, samplesStored: 0, samplesLost: [:])
        nominalRate = rate
    }

    /// What a file holds of the source, whose counts have been put here until now.
    mutating func count(stored: Int, inFile: Int, layout: FileLayout?, source: SourceDescription) {
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

    /// Samples that the source gave for this file and that it holds: for the ledger, which counts the source's.
    package var sourceStored: Int { resampled?.samplesStored ?? samplesStored }
    /// Samples per second of the source: as measured, else as asked for.
    package var sourceRate: Double {
        resampled.map { $0.measuredRate ?? $0.nominalRate } ?? measuredRate ?? nominalRate
    }
    /// Samples that the source should have given besides, by reason.
    package var sourceLost: [String: Int] { resampled?.samplesLost ?? samplesLost }

    mutating func lose(_ count: Int, _ reason: LossReason) {
        if count > 0 { samplesLost["\(reason)", default: 0] += count }
    }
}

extension MonotonicTime {
    /// A reading of so many seconds.
    init(seconds: Double) { self.init(nanoseconds: Int64(max(-9e18, min(9e18, (seconds * 1e9).rounded())))) }
}
