// SPDX-License-Identifier: Apache-2.0

/// Reads one frame of a write-ahead log after another for `WriteAheadFrames`, and keeps what the next checksum
/// continues from.
///
/// A frame is the page's number, the size of the database if the frame commits (else 0), the salts (at 8), the
/// checksum over all but these two (at 16), then the page's image (at 24).
struct WriteAheadFrameReader {
    private var salts: WriteAheadChecksum?
    /// What the next frame's checksum may continue from: two where the wrong bit may be in the last
    /// word of the frame or in its stored checksum.
    private var seeds: [WriteAheadChecksum]
    private let isBigEndian: Bool

    enum State {
        /// The checksum agrees.
        case sound
        /// One bit is wrong, at one place or at one of several.
        case mended
        /// More is wrong, or what the checksum continues from is unknown.
        case doubtful
        /// A frame with other salts, from before the log was started again, or no frame.
        case foreign
    }

    struct Reading {
        var state = State.foreign
        /// nil for one that is not of this log.
        var frame: WriteAheadFrame?
        var isCommit = false
    }

    init(_ header: WriteAheadHeader?) {
        (salts, isBigEndian) = (header?.salts, header?.isBigEndian ?? false)
        seeds = header?.checksums ?? []
    }

    /// `bytes` is a whole frame that begins at `place` of the file.
    mutating func read(_ bytes: [UInt8], at place: Int64) -> Reading {
        guard let own = bytes.pair(8), let stored = bytes.pair(16) else { return Reading() }
        // Without a header the first frame says which salts are this log's.
        let salts = self.salts ?? own
        self.salts = salts
        let before = seeds
        seeds = [stored]
        // Frames with other salts (more than one flipped bit apart) are left from before the log was started again;
        // their pages have long been in the database file.
        let distance = salts.distance(to: own)
        guard distance <= 1 else { return Reading() }
        var content = Array(bytes[..<8] + bytes[24...])
        let sums = before.map { $0.over(content, isBigEndian: isBigEndian) }
        if distance == 0, sums.contains(stored) { return Self.reading(.sound, content, at: place) }
        var flips: [WriteAheadChecksum.Flip] = []
        if distance == 0, let seed = before.first {
            flips = seed.flips(in: content, isBigEndian: isBigEndian, for: stored).filter {
                Self.isPossible(content.flipping($0))
            }
        }
        let isSumDamaged = sums.first.map { $0.distance(to: stored) + distance <= 1 } ?? false
        if isSumDamaged, let sum = sums.first { seeds = flips.isEmpty ? [sum] : [sum, stored] }
        let ways = flips.count + (isSumDamaged ? 1 : 0)
        guard distance == 0 || ways > 0 else { return Reading() }
        // A bit of the frame's header is turned back at once, where it is certain.
        if let flip = flips.first, flip.byte < 8, ways == 1 { content = content.flipping(flip) }
        return Self.reading(ways > 0 ? .mended : .doubtful, content, at: place, flips, isCertain: ways == 1)
    }

    /// `content` is the frame without salts and checksum, and `flips` are bits of it.
    private static func reading(
        _ state: State, _ content: [UInt8], at place: Int64, _ flips: [WriteAheadChecksum.Flip] = [],
        isCertain: Bool = true
    ) -> Reading {
        guard let page = content.bigEndian32(0), page > 0 else { return Reading() }
        let ofImage = flips.filter { $0.byte >= 8 }.map { WriteAheadChecksum.Flip(byte: $0.byte - 8, mask: $0.mask) }
        return Reading(
            state: state,
            frame: WriteAheadFrame(page: page, offset: place + 24, flips: ofImage, isCertain: isCertain),
            isCommit: content.bigEndian32(4) ?? 0 > 0)
    }

    /// Bounds page number and size by 2^22 pages (16 GiB), more than a database of ours has.
    private static func isPossible(_ content: [UInt8]) -> Bool {
        guard let page = content.bigEndian32(0), let size = content.bigEndian32(4) else { return false }
        return (1...1 << 22).contains(page) && size <= 1 << 22
    }
}
