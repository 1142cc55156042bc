// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A receiver's sentences as received, with one `$PSTDY` per epoch before them that tells both clocks.
/// `Recorder` drives it.
///
/// `$PSTDY,E,<uptime>,<UTC or empty>*hh` begins an epoch: the times are those at which its first
/// byte came in. `$PSTDY,G,<uptime>,<bytes>,<reason>*hh` says that bytes are missing. Every other
/// tool skips both, as it must any proprietary sentence. An epoch begins when the time of day
/// changes, or after 0.3 s of silence.
package struct NMEAWriter: SegmentEncoder {
    /// A line that grows longer than this is passed on as it is: some receivers mix
    /// binary messages in.
    static let longestLine = 1024
    private static let silence = Duration.milliseconds(300)

    /// `SegmentEncoder`: a log that GPS tools open as it is.
    package static let fileExtension = "nmea"
    /// `SegmentEncoder`: not registered; text in sentences of NMEA 0183.
    package static let contentType = "application/x-nmea"
    /// `SegmentEncoder`: those of the receiver; our own `$PSTDY` lines are not counted.
    package let countedUnit = CountedUnit.bytes
    /// `SegmentEncoder`: bytes come in bursts, each at its own time.
    package let isRegular = false
    /// Bytes of whole lines as received; `$PSTDY` lines are not counted.
    package private(set) var stored = 0
    /// The first bytes of the first whole line and of the last.
    package private(set) var span: (first: MonotonicTime, last: MonotonicTime)?
    private var context: SegmentContext?
    /// The line that is not whole yet.
    private var line: [UInt8] = []
    private var lineTime = MonotonicTime.zero
    private var lastTime: MonotonicTime?
    private var startsEpoch = true
    /// The time of day in the present epoch's sentences, as its characters; nil until one has it.
    private var timeOfDay: [UInt8]?

    package init() {}

    /// Between lines only; a line torn by the end would be no sentence.
    package var mayEndHere: Bool { line.isEmpty }

    /// Nothing is written before the first whole line.
    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        self.context = context
        (stored, span) = (0, nil)
        line.removeAll(keepingCapacity: true)
        startsEpoch = true
        timeOfDay = nil
    }

    /// Lines as they become whole, a `$PSTDY,E` before the first of an epoch. Throws nothing.
    package mutating func append(
        _ frame: ByteFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        if let lastTime, time - lastTime > Self.silence {
            startsEpoch = true
            timeOfDay = nil
        }
        lastTime = time
        // Once: an index into the frame's own storage copies the whole of it for each byte.
        let bytes = frame.bytes.span
        for index in 0..<frame.sampleCount {
            if line.isEmpty { lineTime = time }
            line.append(bytes[index])
            if bytes[index] == 0x0A || line.count >= Self.longestLine { endLine(to: &out) }
        }
    }

    /// A `$PSTDY,G` line; gives up what is there of the torn line.
    package mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int {
        // What is left of the torn line is no sentence.
        defer { line.removeAll(keepingCapacity: true) }
        out += NMEAFraming.bytes("PSTDY,G,\(UptimeText.text(gap.time)),\(gap.samples + line.count),\(gap.reason)")
        return line.count
    }

    package mutating func finish(
        to out: inout [UInt8]
    ) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) {
        defer { line.removeAll(keepingCapacity: true) }
        return (line.count, [])
    }

    private mutating func endLine(to out: inout [UInt8]) {
        let time = NMEAFraming.timeOfDay(line)
        if let time, let known = timeOfDay, time != known { startsEpoch = true }
        if let time { timeOfDay = time }
        if startsEpoch, let context {
            out += NMEAFraming.bytes("PSTDY,E,\(UptimeText.text(lineTime)),\(context.utc(lineTime))")
            startsEpoch = false
        }
        out += line
        stored += line.count
        span = (span?.first ?? lineTime, lineTime)
        line.removeAll(keepingCapacity: true)
    }
}
