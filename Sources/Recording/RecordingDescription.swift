// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Samples
import Times

/// What a recording is: the JSON beside its file, modelled on SageResearch's file result.
public struct RecordingDescription: Sendable, Hashable, Codable {
    /// How far the file is.
    public enum State: String, Sendable, Codable {
        /// It is being written, or a power cut ended it.
        case open
        /// It is complete but waits for its boot's first anchor.
        case finished
        /// It never changes again.
        case sealed
    }

    /// What is known of wall time.
    public enum ClockState: String, Sendable, Codable {
        /// Times are right, to the anchors' uncertainty.
        case anchored
        /// No anchor yet: times in the file count from the start of the boot.
        case pending
        /// Its boot ended without an anchor. Only uptimes mean something.
        case unknown
    }

    /// One channel of the source.
    public struct ChannelNote: Sendable, Hashable, Codable {
        public var name: String
        public var unit: String
        public var scale: Double
        public var offset: Double
    }

    /// One anchor of the file's boot.
    public struct AnchorNote: Sendable, Hashable, Codable {
        /// CLOCK_MONOTONIC in seconds.
        public var uptime: Double
        /// UTC, RFC 3339.
        public var time: String
        /// `kernel`, `rtc`, `gps`, `simulated`.
        public var source: String
        /// Seconds, one side.
        public var uncertainty: Double
    }

    /// One gap.
    public struct GapNote: Sendable, Hashable, Codable {
        /// CLOCK_MONOTONIC of the first sample after it, in seconds.
        public var uptime: Double
        public var samples: Int
        public var reason: String
        /// Samples in the file before it.
        public var position: Int
    }

    /// The most gaps that are listed; further ones are counted in `gapsOmitted`.
    public static let gapLimit = 1000
    /// The most anchors that are listed.
    public static let anchorLimit = 64

    /// Always `file`.
    public var type = "file"
    /// The measure's identifier in the study.
    public var identifier: String
    /// The recording number, unique on the device for ever.
    public var number: Int
    /// `accelerometer`, `sound`, ... (`MeasureKind`).
    public var kind: String
    /// `cwa`, `csv`, ... (`RecordingFormat`).
    public var format: String
    public var state: State
    /// RFC 3339 at the offset of the file; absent while the clock is unknown.
    public var startDate: String?
    public var endDate: String?
    /// CLOCK_MONOTONIC of first sample and end, in seconds.
    public var startUptime: Double
    public var endUptime: Double
    /// The file's name, in the folder of this description.
    public var relativePath: String
    /// Media type of the content.
    public var contentType: String
    /// `gzip` where the file is compressed.
    public var contentEncoding: String?
    public var study: String
    public var participant: String?
    public var deviceNumber: UInt32
    public var bodyLocation: String?
    /// The chip or device that measured, and where it is.
    public var device: String
    public var location: String
    public var channels: [ChannelNote]
    public var nominalRate: Double
    public var fullScale: Double
    /// dB added to dBFS.
    public var calibration: Double?
    /// Samples per second by the regression, and its expected error; absent where samples have no rate.
    public var measuredRate: Double?
    public var measuredRateError: Double?
    public var bootID: String
    public var zone: String
    /// `+01:00`: the offset of the wall times in the file, in force when it began.
    public var offset: String?
    public var clock: ClockState
    public var anchors: [AnchorNote]
    /// How often the file was made durable, in seconds.
    public var syncInterval: Double
    /// What is counted below: `samples`, `bytes`, `events`.
    public var countedUnit: String
    public var samplesStored: Int
    /// By reason (`LossReason`).
    public var samplesLost: [String: Int]
    public var gaps: [GapNote]
    public var gapsOmitted: Int
    /// True when a power cut or a crash ended the file. `samplesLost.powerCut` is then the most that can be missing.
    public var isRecovered: Bool
    /// Bytes of a torn end that were cut off.
    public var bytesCut: Int
    public var bytes: Int
    /// Of the file, 64 hexadecimal digits; empty until sealed.
    public var sha256: String

    /// The description of a file that begins now.
    public init(_ context: SegmentContext, fileName: String, contentType: String, countedUnit: String) {
        let (source, measure, origin) = (context.source, context.measure, context.origin)
        identifier = measure.identifier
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
        channels = source.channels.map {
            ChannelNote(name: $0.name, unit: $0.unit.rawValue, scale: $0.scale, offset: $0.offset)
        }
        nominalRate = source.nominalRate
        fullScale = source.fullScale
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
    /// Samples that are missing, for any reason.
    public var totalLost: Int { samplesLost.values.reduce(0, +) }

    /// Reads a description from JSON of at most 4 MB.
    public init(json: [UInt8], path: String) throws(RecordingError) {
        do {
            self = try JSONDecoder().decode(RecordingDescription.self, from: Data(json))
        } catch {
            throw .format(path: path, problem: "is no recording description: \(error)")
        }
    }

    /// Wall times by an anchor of the file's boot.
    mutating func setClock(_ anchor: ClockAnchor, offset seconds: Int) {
        clock = .anchored
        offset = TimeText.zone(seconds)
        note(anchor)
        startDate = TimeText.rfc3339(anchor.instant(at: MonotonicTime(seconds: startUptime)), offset: seconds)
        endDate = TimeText.rfc3339(anchor.instant(at: MonotonicTime(seconds: endUptime)), offset: seconds)
    }

    /// Lists an anchor, once.
    mutating func note(_ anchor: ClockAnchor) {
        let note = AnchorNote(
            uptime: Double(anchor.monotonic.nanoseconds) / 1e9, time: TimeText.rfc3339(anchor.instant),
            source: anchor.source.rawValue, uncertainty: anchor.uncertainty.seconds)
        if anchors.count < Self.anchorLimit, !anchors.contains(note) { anchors.append(note) }
    }

    /// Lists a gap.
    mutating func note(_ gap: RecordingGap) {
        guard gaps.count < Self.gapLimit else {
            gapsOmitted += 1
            return
        }
        gaps.append(
            GapNote(
                uptime: Double(gap.time.nanoseconds) / 1e9, samples: gap.samples, reason: "\(gap.reason)",
                position: gap.position))
    }

    mutating func lose(_ count: Int, _ reason: LossReason) {
        if count > 0 { samplesLost["\(reason)", default: 0] += count }
    }
}

extension MonotonicTime {
    /// A reading of so many seconds.
    init(seconds: Double) { self.init(nanoseconds: Int64((seconds * 1e9).rounded())) }
}
