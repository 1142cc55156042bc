// SPDX-License-Identifier: Apache-2.0

/// Follows one frame of u-blox' binary protocol byte by byte: `B5 62`, class, id, length (low byte
/// first), payload, and Fletcher's checksum of class to payload.
///
/// `NMEAFramer` calls `begin` after a byte B5, then `read` for each byte while `isOpen`.
struct UBXFrame: Sendable {
    /// After a byte: more are to come, or the frame has ended, rightly or not.
    enum State { case open, valid, invalid }

    private(set) var isOpen = false
    /// Bytes so far, with the two of sync.
    private var count = 0
    /// Bytes of the payload.
    private var length = 0
    private var sums: (first: UInt8, second: UInt8) = (0, 0)

    /// Begins a frame whose first byte, B5, has been read.
    mutating func begin() {
        self = UBXFrame()
        (isOpen, count) = (true, 1)
    }

    mutating func read(_ byte: UInt8) -> State {
        let state = judge(byte)
        if count >= 2, count < 6 || count < length + 6 {
            sums.first &+= byte
            sums.second &+= sums.first
        }
        count += 1
        isOpen = state == .open
        return state
    }

    private mutating func judge(_ byte: UInt8) -> State {
        switch count {
        case 1: return byte == 0x62 ? .open : .invalid
        case 2, 3: return .open
        case 4:
            length = Int(byte)
            return .open
        case 5:
            length |= Int(byte) << 8
            return length > NMEAFramer.longestPayload ? .invalid : .open
        case length + 6: return byte == sums.first ? .open : .invalid
        case length + 7: return byte == sums.second ? .valid : .invalid
        default: return .open
        }
    }
}
