// SPDX-License-Identifier: Apache-2.0
import Base

/// What is in a CWA file: takes its good blocks in order, and finds the jumps in time between them, for
/// recovery and for the summary that `studyd recordings` prints of a foreign file.
struct CWASurvey {
    var samples = 0
    /// Samples that the jumps in time between blocks hold.
    var missing = 0
    var rate: Double?
    var start: LocalDateTime?
    /// Seconds from the first sample to the end of the last block.
    var duration = 0.0
    var remarks: [String] = []
    /// Blocks without a valid time.
    private(set) var undated = 0
    /// Samples of such blocks since the last one that had a time.
    private var waiting = 0
    /// The sequence number of the next block where none is missing since the last one that had a time.
    private var next: UInt32 = 0
    /// When the sample after the last block is due.
    private var expected: LocalDateTime?
    /// The jumps themselves, those beyond `RecordingDescription.gapLimit` only
    /// counted in `missing`.
    private(set) var jumps: [Jump] = []
    private var jumpCount = 0

    struct Jump: Sendable, Hashable {
        /// Seconds from the file's first sample to the first one after it.
        var end: Double
        /// Seconds that are missing.
        var length: Double
        var samples: Int
        /// Samples in the file before it.
        var position: Int
    }

    /// By how many seconds a block of `due` seconds may begin late without a sample missing: an eighth of the
    /// block lies beyond any error of a chip's rate.
    static func tolerance(_ due: Double) -> Double { max(0.5, due / 8) }
    /// How far a chip's rate is from what the file names, at most: the share of a run of blocks without a valid
    /// time by which it may be longer or shorter than its samples say.
    static let rateError = 0.03

    mutating func add(_ block: CWABlock) {
        samples += block.count
        rate = block.rate
        guard let first = block.local(of: 0) else {
            undated += 1
            waiting += block.count
            next &+= 1
            return
        }
        defer { (waiting, next) = (0, block.sequence &+ 1) }
        if start == nil { start = first }
        if let jump = jump(before: block, at: first) { record(jump, of: block, at: first) }
        expected = block.local(of: block.count)
        if let start, let expected { duration = Self.seconds(from: start, to: expected) }
    }

    /// The seconds by which a block that begins at `first` is late; nil where that is no jump.
    private func jump(before block: CWABlock, at first: LocalDateTime) -> Double? {
        guard let expected else { return nil }
        let jump = Self.seconds(from: expected, to: first) - Double(waiting) / block.rate
        // Where a block is missing among those without a time, that is no error of the rate.
        let run = block.sequence == next ? Double(waiting + block.count) / block.rate : 0
        return jump > max(Self.tolerance(Double(block.count) / block.rate), Self.rateError * run) ? jump : nil
    }

    /// `samples` already has those of the block.
    private mutating func record(_ jump: Double, of block: CWABlock, at first: LocalDateTime) {
        let (count, position) = (Int((jump * block.rate).rounded()), samples - block.count)
        missing += count
        jumpCount += 1
        if let start, jumps.count < RecordingDescription.gapLimit {
            jumps.append(
                Jump(end: Self.seconds(from: start, to: first), length: jump, samples: count, position: position))
        }
        if jumpCount <= 20 { remarks.append("gap of \(Decimals.text(jump, 2)) s before sample \(position)") }
    }

    private static func seconds(from start: LocalDateTime, to end: LocalDateTime) -> Double {
        (end.instant(offset: 0) - start.instant(offset: 0)).seconds
    }
}
