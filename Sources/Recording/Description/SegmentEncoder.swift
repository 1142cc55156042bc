// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// What an encoder must know when a file begins.
public struct SegmentContext: Sendable {
    /// The recording's number.
    public let number: Int
    /// Who measures.
    public let source: SourceDescription
    /// How it is recorded.
    public let measure: MeasureConfiguration
    /// Whose device it is.
    public let origin: RecordingOrigin
    /// CLOCK_MONOTONIC of the first sample.
    public let start: MonotonicTime
    /// The one anchor of the whole file; nil while nobody vouches for the time. Times are then written so that they
    /// can be put right afterwards.
    public let anchor: ClockAnchor?
    /// Seconds east of UTC in force when the file began, 0 without an anchor.
    public let offset: Int

    /// A context.
    public init(
        number: Int, source: SourceDescription, measure: MeasureConfiguration, origin: RecordingOrigin,
        start: MonotonicTime, anchor: ClockAnchor?
    ) {
        self.number = number
        self.source = source
        self.measure = measure
        self.origin = origin
        self.start = start
        self.anchor = anchor
        offset = anchor.map { origin.zone.period(at: $0.instant(at: start)).offset } ?? 0
    }

    /// UTC as text, empty while it is unknown.
    func utc(_ time: MonotonicTime) -> String { anchor.map { TimeText.rfc3339($0.instant(at: time)) } ?? "" }
}

/// Samples that are missing between two that are not.
public struct RecordingGap: Sendable, Hashable {
    /// CLOCK_MONOTONIC of the last sample before the gap.
    public var start: MonotonicTime
    /// CLOCK_MONOTONIC of the first sample after the gap.
    public var time: MonotonicTime
    /// How many are missing; for an uncounted gap as many as its length holds.
    public var samples: Int
    /// Why.
    public var reason: LossReason
    /// Samples in the file before it.
    public var position: Int

    /// A gap; without a start it begins where it ends, for the start is not known yet.
    public init(
        start: MonotonicTime? = nil, time: MonotonicTime, samples: Int, reason: LossReason, position: Int
    ) {
        self.start = start ?? time
        self.time = time
        self.samples = samples
        self.reason = reason
        self.position = position
    }
}

/// Bytes that replace others of a file when it is finished.
public struct SegmentPatch: Sendable, Hashable {
    /// Where they go.
    public var offset: Int
    /// What they are.
    public var bytes: [UInt8]

    public init(offset: Int, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }
}

/// Turns frames into the bytes of one file format. It does no I/O: whole units (blocks, lines, frames) are appended to
/// `out`, and a file that is cut after any unit can be read.
public protocol SegmentEncoder {
    /// What comes through the ring.
    associatedtype Frame: RecordedFrame
    /// The end of the file's name: `cwa`.
    var fileExtension: String { get }
    /// The media type of the file.
    var contentType: String { get }
    /// What is counted: `samples`, `bytes`, `events`.
    var countedUnit: String { get }
    /// True when samples come at a steady rate and their times from the clock regression.
    var isRegular: Bool { get }
    /// True when the file carries wall time without a zone, and ends where the offset changes.
    var carriesLocalTime: Bool { get }
    /// Samples of the source that are in `out` so far.
    var stored: Int { get }
    /// Samples of the file in `out` so far: other than `stored` only where the encoder resamples.
    var storedInFile: Int { get }
    /// CLOCK_MONOTONIC of the first and the last sample in `out`; nil where those given to the encoder are.
    var span: (first: MonotonicTime, last: MonotonicTime)? { get }
    /// From the first sample given to the encoder after a gap to the first one of the file.
    var lead: Duration { get }
    /// What the numbers in the file are, where they are not the source's own counts at its own rate; nil where they are.
    var layout: FileLayout? { get }
    /// Takes what was measured about the device itself, for formats that have a place for it.
    mutating func take(_ surroundings: Surroundings)
    /// True when the file may end here without losing samples.
    var mayEndHere: Bool { get }
    /// True when a gap should begin a new file, because the format cannot show it.
    var gapEndsFile: Bool { get }
    /// Begins a file: writes its header.
    mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(RecordingError)
    /// Takes in a frame whose first sample was taken at `time`.
    mutating func append(_ frame: Frame, at time: MonotonicTime, to out: inout [UInt8]) throws(RecordingError)
    /// Notes a gap before the next frame. Returns how many samples of an unfinished unit were given up for it.
    mutating func gap(_ gap: RecordingGap, to out: inout [UInt8]) throws(RecordingError) -> Int
    /// Ends the file. Returns how many samples of an unfinished unit were given up, and what to change in the file.
    mutating func finish(to out: inout [UInt8]) throws(RecordingError) -> (discarded: Int, patches: [SegmentPatch])
}

extension SegmentEncoder {
    /// As `stored`: nothing is resampled.
    public var storedInFile: Int { stored }
    /// nil: every sample given to the encoder is in the file.
    public var span: (first: MonotonicTime, last: MonotonicTime)? { nil }
    /// None: the first sample is in the file.
    public var lead: Duration { .zero }
    /// nil: the source's counts, as the source gives them.
    public var layout: FileLayout? { nil }
    /// Nothing: right for a format without a place for it.
    public mutating func take(_ surroundings: Surroundings) {}
    /// `samples`: PCM frames for sound, one of all axes for a vector.
    public var countedUnit: String { "samples" }
    /// True: times come from the clock regression.
    public var isRegular: Bool { true }
    /// False: right for a format whose times are UTC or uptime.
    public var carriesLocalTime: Bool { false }
    /// True: right for a format whose every append is a whole unit.
    public var mayEndHere: Bool { true }
    /// False: right for a format that can show a gap.
    public var gapEndsFile: Bool { false }
}
