// SPDX-License-Identifier: Apache-2.0

/// Finds NMEA sentences in the bytes of a receiver, which may begin anywhere and be mixed with binary frames.
///
/// Every `$` begins a sentence anew. The payload of a UBX frame (`B5 62`, class, id, length, payload, checksum) is not
/// looked at, since it may hold a `$`; what stood in a frame whose checksum turns out wrong was none, and is read as text
/// after all. Work per byte is constant, memory bounded.
public struct NMEAFramer: Sendable {
    /// The longest sentence that is taken, in bytes from `$` to the line end. The standard's 82 is often exceeded.
    public static let longestSentence = 512
    /// The longest UBX payload that is believed, in bytes; raw measurements of all bands stay below 4096.
    public static let longestPayload = 8192

    /// Sentences that were cut off, too long or failed their checksum, since the beginning.
    public private(set) var broken = 0
    /// UBX frames that were stepped over.
    public private(set) var binaryFrames = 0
    private var reader = LineReader()
    private var binary: BinaryFrame?
    private var withheld: [NMEASentence] = []
    private var withheldBroken = 0

    /// A framer that has seen nothing.
    public init() {}

    /// The sentences that these bytes complete, in order.
    public mutating func append(_ bytes: some Sequence<UInt8>) -> [NMEASentence] {
        var sentences: [NMEASentence] = []
        // A loop over memory; through the sequence's own iterator each byte costs a call.
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { for byte in $0 { take(byte, into: &sentences) } }
        if isDone == nil { for byte in bytes { take(byte, into: &sentences) } }
        return sentences
    }

    private mutating func take(_ byte: UInt8, into sentences: inout [NMEASentence]) {
        let event = reader.take(byte)
        guard var frame = binary else {
            if case .sentence(let sentence) = event { sentences.append(sentence) }
            if case .broken = event { broken += 1 }
            if byte == 0xB5 { binary = BinaryFrame() }
            return
        }
        if case .sentence(let sentence) = event { withheld.append(sentence) }
        if case .broken = event { withheldBroken += 1 }
        frame.take(byte)
        binary = frame
        switch frame.state {
        case .open: return
        case .valid:
            binaryFrames += 1
            reader = LineReader()
            binary = nil
        case .invalid:
            sentences += withheld
            broken += withheldBroken
            // The byte that ended the attempt may begin the next one.
            binary = byte == 0xB5 ? BinaryFrame() : nil
        }
        (withheld, withheldBroken) = ([], 0)
    }
}

/// The place within a sentence.
private struct LineReader: Sendable {
    enum Event {
        case nothing, broken
        case sentence(NMEASentence)
    }

    private var line: [UInt8] = []
    private var isOpen = false

    mutating func take(_ byte: UInt8) -> Event {
        let wasOpen = isOpen
        switch byte {
        case UInt8(ascii: "$"):
            isOpen = true
            line.removeAll(keepingCapacity: true)
        case 0x0D, 0x0A:
            isOpen = false
            if wasOpen, let sentence = NMEASentence(checking: line[...]) { return .sentence(sentence) }
        case 0x20...0x7E where isOpen && line.count < NMEAFramer.longestSentence:
            line.append(byte)
            return .nothing
        default: isOpen = false
        }
        return wasOpen ? .broken : .nothing
    }
}

/// The place within a UBX frame, after its first byte.
private struct BinaryFrame: Sendable {
    enum State { case open, valid, invalid }

    private(set) var state = State.open
    private var count = 1
    private var length = 0
    private var sums: (first: UInt8, second: UInt8) = (0, 0)

    mutating func take(_ byte: UInt8) {
        switch count {
        case 1: if byte != 0x62 { state = .invalid }
        case 2, 3: break
        case 4: length = Int(byte)
        case 5:
            length |= Int(byte) << 8
            if length > NMEAFramer.longestPayload { state = .invalid }
        case length + 6: if byte != sums.first { state = .invalid }
        case length + 7: state = byte == sums.second ? .valid : .invalid
        default: break
        }
        if count >= 2, count < 6 || count < length + 6 {
            sums.first &+= byte
            sums.second &+= sums.first
        }
        count += 1
    }
}
