// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The fixes of an NMEA recording one after another, in constant memory, with the times in our own sentences.
/// Exports, plots, uploads and the lab read positions with it.
///
/// `$PSTDY,E` begins an epoch and names both clocks, `$PSTDY,G` a gap. With our UTC a
/// receiver's date that is whole rounds of 1024 weeks off is put right, and one that is
/// altogether wrong is replaced.
package final class NMEATrack {
    package struct Epoch: Sendable {
        package let fix: Fix
        /// UTC: the receiver's where it has one that can be true, else ours; nil
        /// where neither knows.
        package let time: Instant?
        /// `time` is ours, for lack of one of the receiver's.
        package let isRecordersTime: Bool
        /// CLOCK_MONOTONIC in seconds at its first byte; nil in foreign files.
        package let uptime: Double?
        /// True when bytes are missing before it, or epochs since the file before, or it is the first of another boot.
        package let followsGap: Bool

        /// Degrees north and east; nil without a valid position (mode 2 without height, 3 with it).
        package var position: (latitude: Double, longitude: Double)? {
            guard fix.mode >= 2, let latitude = fix.latitude, let longitude = fix.longitude else { return nil }
            return (latitude, longitude)
        }
    }

    private struct Stamp {
        var uptime: Double?
        var time: Instant?
        var followsGap = false
    }

    private var file: File
    private var rest: [RecordedFile]
    private let window: ExportWindow
    /// Seconds east of UTC, of the file that is read.
    private var offset: Int
    /// Bytes of all files, and how many of them were read; `place` is the offset in the present file.
    private let size: Int
    private var read = 0
    private var place = 0
    private var framer = NMEAFramer()
    private var epochs = NMEAEpochs()
    /// What our last sentences say, for the epoch that follows them.
    private var stamp = Stamp()
    private var fileGaps = EpochFileGaps()
    private var waiting: [Epoch] = []
    private var isAtEnd = false

    /// The part of these files, of which there is at least one, that lies in the window; in the
    /// order given.
    package init(_ sources: [RecordedFile], window: ExportWindow = .all) throws(FileError) {
        guard let first = sources.first else { throw .format(path: "", problem: "no file given") }
        var size = 0
        for source in sources { size += try source.file.size() }
        self.size = max(1, size)
        self.window = window
        offset = first.description?.offsetSeconds ?? 0
        file = first.file
        rest = Array(sources.dropFirst())
        fileGaps.begin(first)
    }

    /// How much of the files has been read, 0...1.
    package var progress: Double { Double(read) / Double(size) }

    package func next() throws(FileError) -> Epoch? {
        while waiting.isEmpty, !isAtEnd {
            let bytes = try file.read(16_384, at: place)
            place += bytes.count
            read += bytes.count
            framer.append(bytes) { handle($0) }
            if bytes.isEmpty {
                keep(epochs.flush())
                isAtEnd = rest.isEmpty
                if !isAtEnd { begin(rest.removeFirst()) }
            }
            waiting.reverse()  // taken from the end, the cheap one
        }
        return waiting.popLast()
    }

    private func begin(_ next: RecordedFile) {
        file = next.file
        offset = next.description?.offsetSeconds ?? 0
        place = 0
        framer = NMEAFramer()
        epochs = NMEAEpochs()
        stamp = Stamp()
        fileGaps.begin(next)
    }

    /// Takes a sentence of the receiver, or one of ours into `stamp`.
    private func handle(_ sentence: borrowing NMEASentence) {
        guard sentence.isProprietary, sentence.type == "STDY" else { return keep(epochs.append(sentence)) }
        // Ours comes before the first sentence of the epoch that it belongs to.
        keep(epochs.flush())
        switch sentence.field(1) {
        case "E":
            // More is damage, and would overflow as nanoseconds.
            stamp.uptime = sentence.field(2).flatMap { Double($0) }.flatMap { abs($0) < 4e9 ? $0 : nil }
            stamp.time = sentence.field(3).flatMap { try? Instant(rfc3339: $0) }
            epochs.reference = stamp.time
        case "G": stamp.followsGap = true
        default: break
        }
    }

    /// Keeps a finished epoch where it lies in the window.
    private func keep(_ fix: Fix?) {
        guard let fix else { return }
        let time = fix.time ?? stamp.time
        if fileGaps.takeEpoch(at: time, stamp.uptime, isCut: stamp.followsGap) { stamp.followsGap = true }
        guard window.contains(time, offset: offset) else { return }
        waiting.append(
            Epoch(
                fix: fix, time: time, isRecordersTime: fix.time == nil, uptime: stamp.uptime,
                followsGap: stamp.followsGap))
        stamp.followsGap = false
    }
}

/// Whether epochs are missing from one file to the next, which goes on with it.
private struct EpochFileGaps {
    private var bootID: String?
    private var isOtherBoot = false
    /// No epoch of the file has come yet.
    private var isAtStart = true
    private var last: (time: Instant?, uptime: Double?)?
    /// Seconds between the last two epochs; at least one, which is how often receivers tell without being asked.
    private var interval = 1.0

    mutating func begin(_ file: RecordedFile) {
        isOtherBoot = last != nil && (isOtherBoot || file.description?.bootID != bootID)
        bootID = file.description?.bootID
        isAtStart = true
    }

    /// Takes in an epoch; returns true where some are missing since the file before. `isCut` = bytes are missing
    /// before it.
    mutating func takeEpoch(at time: Instant?, _ uptime: Double?, isCut: Bool) -> Bool {
        defer {
            self.last = (time: time, uptime: uptime)
            (isAtStart, isOtherBoot) = (false, false)
        }
        guard let before = last else { return false }
        let uptimes = before.uptime.flatMap { start in uptime.map { $0 - start } }
        let seconds = uptimes ?? before.time.flatMap { start in time.map { ($0 - start).seconds } }
        guard isAtStart else {
            if let seconds, !isCut { interval = max(1, seconds) }
            return false
        }
        // An epoch may come some tenths of a second late.
        return isOtherBoot || seconds.map { $0 < 0 || $0 > 1.5 * interval + 0.3 } ?? false
    }
}
