// SPDX-License-Identifier: Apache-2.0

/// Finds NMEA sentences in the bytes of a receiver, which may begin anywhere and be mixed with binary frames.
/// `NMEADecoder` and `NMEATrack` have one.
///
/// Every `$` begins a new sentence. The payload of a UBX frame (`B5 62`, class, id, length,
/// payload, checksum) is not looked at, since it may hold a `$`; a frame that turns out to have a
/// wrong checksum was none, and is read as text after all. Other binary protocols are
/// passed over by their lack of a right checksum. Work per byte is constant, memory bounded,
/// and nothing is allocated per sentence. A `~Copyable` value: two framers of one line would
/// each miss bytes.
package struct NMEAFramer: ~Copyable {
    /// The longest UBX payload that is believed, in bytes; raw measurements of all bands
    /// stay below 4096.
    package static let longestPayload = 8192
    static let firstSync: UInt8 = 0xB5

    /// Sentences with a right checksum, since the beginning.
    package private(set) var sentences = 0
    /// Sentences that were cut off, too long or failed their checksum, since the beginning.
    package private(set) var broken = 0
    /// UBX frames that were stepped over.
    package private(set) var binaryFrames = 0
    private var reader = NMEALineReader()
    private var frame = UBXFrame()
    /// Sentences found within what may be a frame, as `$...*HH` and line ends; as those may have been
    /// missing, at most two bytes a sentence longer than the frame.
    private var withheld: [UInt8] = []
    private var withheldBroken = 0

    package init() {}

    var isInSentence: Bool { reader.isInSentence }

    /// Lends every sentence that these bytes complete to `found`, in order.
    package mutating func append(_ bytes: Span<UInt8>, _ found: (borrowing NMEASentence) -> Void) {
        var index = 0
        while index < bytes.count {
            if frame.isOpen {
                readInFrame(bytes[index], found)
                index += 1
                continue
            }
            var event = NMEALineReader.Event.nothing
            index = reader.read(bytes, from: index, &event)
            if event == .sentence {
                sentences += 1
                found(reader.sentence)
            } else if event == .broken {
                broken += 1
            }
            if bytes[index - 1] == Self.firstSync { frame.begin() }
        }
    }

    package mutating func append(_ bytes: [UInt8], _ found: (borrowing NMEASentence) -> Void) {
        append(bytes.span, found)
    }

    /// Call when the line was silent: receivers send a binary frame in one piece, so an unfinished one was
    /// none, and the sentences found in it count.
    package mutating func pause(_ found: (borrowing NMEASentence) -> Void) {
        guard frame.isOpen else { return }
        frame = UBXFrame()
        release(found)
        forget()
    }

    /// A byte of what may be a frame: sentences in it are kept back until the frame has ended.
    private mutating func readInFrame(_ byte: UInt8, _ found: (borrowing NMEASentence) -> Void) {
        switch reader.read(byte) {
        case .sentence: withhold()
        case .broken: withheldBroken += 1
        case .nothing: break
        }
        switch frame.read(byte) {
        case .open: return
        case .valid:
            binaryFrames += 1
            reader.reset()
        case .invalid:
            release(found)
            // The byte that ended the attempt may begin the next one.
            if byte == Self.firstSync { frame.begin() }
        }
        forget()
    }

    /// Drops what was kept back.
    private mutating func forget() {
        withheld.removeAll(keepingCapacity: true)
        withheldBroken = 0
    }

    /// Keeps the reader's sentence back, until the frame turns out to be one or not.
    private mutating func withhold() {
        let text = reader.sentence.body
        withheld += NMEAFraming.bytes(text)
    }

    /// It was no frame: lends the sentences kept back to `found`.
    private mutating func release(_ found: (borrowing NMEASentence) -> Void) {
        broken += withheldBroken
        guard !withheld.isEmpty else { return }
        var again = NMEALineReader()
        for byte in withheld where again.read(byte) == .sentence {
            sentences += 1
            found(again.sentence)
        }
    }
}
