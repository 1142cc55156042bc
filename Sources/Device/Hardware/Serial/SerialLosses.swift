// SPDX-License-Identifier: Apache-2.0
import Base

/// How many bytes are missing before the next frame. `SerialReader` calls `recordStored` for each frame
/// that the ring took, `leave` when the line goes away, and `comeBack` when it is open again.
struct SerialLosses: Sendable {
    /// Bytes missing before the next frame.
    private(set) var before: UInt32 = 0
    /// Bytes that the ring took so far.
    private var bytes = 0
    /// How long the receiver took to send them, without absences.
    private var spoken = Duration.zero
    /// The newest frame; nil before the first one since the line was opened.
    private var last: MonotonicTime?
    private var awaySince: MonotonicTime?

    mutating func add(_ count: Int) { before = UInt32(clamping: Int(before) + count) }
    /// Only once bytes were stored: before that nothing was being recorded.
    mutating func addUnlessNew(_ count: Int) { if bytes > 0 { add(count) } }

    mutating func recordStored(_ count: Int, at time: MonotonicTime) {
        before = 0
        bytes += count
        if let last { spoken += time - last }
        last = time
    }

    mutating func leave(at now: MonotonicTime) { if awaySince == nil { awaySince = now } }

    /// A receiver speaks evenly: what it said meanwhile is its rate times the absence,
    /// and never nothing. One that has said nothing yet has lost nothing.
    mutating func comeBack(at now: MonotonicTime) {
        defer { (awaySince, last) = (nil, nil) }
        guard let awaySince, bytes > 0 else { return }
        add(max(1, Int((Double(bytes) / max(spoken.seconds, 1) * (now - awaySince).seconds).rounded())))
    }
}
