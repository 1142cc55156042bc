// SPDX-License-Identifier: Apache-2.0

/// One NMEA 0183 sentence with a right checksum, in the framer's own storage. `NMEAEpochs` makes fixes of them.
///
/// It is lent to the listener and cannot be copied: a framer allocates the storage once, for all
/// its sentences. Fields are numbered as in the standard, from 1 after the address; an empty field
/// and a missing one are the same.
package struct NMEASentence: ~Copyable {
    /// The longest sentence that is taken, in bytes between `$` and the line end. The standard's 82
    /// is often exceeded.
    package static let longest = 512
    /// The most fields that can be read; a maker's own sentences may have more, which then
    /// say nothing to us.
    package static let fieldLimit = 64

    /// Bytes between `$` and `*`; while the sentence is being read, all of it so far.
    var count = 0
    /// Commas noted so far, at most `fieldLimit`; after the last field comes the end.
    var commaCount = 0
    // InlineArray would do, but Swift 6.3 copies it whole for each access through a borrowed value.
    // Every index is masked by a power of two less one, so that none can lie outside; a word may
    // reach seven bytes beyond the last.
    private let bytes: UnsafeMutablePointer<UInt8>
    private let commas: UnsafeMutablePointer<UInt16>
    private static let byteMask = 511
    private static let commaMask = 63

    init() {
        bytes = .allocate(capacity: Self.byteMask + 8)
        bytes.initialize(repeating: 0, count: Self.byteMask + 8)
        commas = .allocate(capacity: Self.commaMask + 1)
        commas.initialize(repeating: 0, count: Self.commaMask + 1)
    }

    deinit {
        bytes.deallocate()
        commas.deallocate()
    }

    /// A byte by its place after the `$`; what lies after `count` is of sentences before.
    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        get { bytes[index & Self.byteMask] }
        set { bytes[index & Self.byteMask] = newValue }
    }

    /// Stores eight bytes after the present ones, of which the first `length` count.
    @inline(__always)
    mutating func append(_ word: UInt64, _ length: Int) {
        UnsafeMutableRawPointer(bytes).storeBytes(
            of: word.littleEndian, toByteOffset: count & Self.byteMask, as: UInt64.self)
        count &+= length
    }

    /// The place of a comma, by its number from 0.
    @inline(__always)
    subscript(comma index: Int) -> Int {
        get { Int(commas[index & Self.commaMask]) }
        set { commas[index & Self.commaMask] = UInt16(truncatingIfNeeded: newValue) }
    }

    /// `RMC`, `GGA`, ...; for a maker's own all after the `P`, such as `UBX`. It makes a string.
    package var type: String { text(min(addressLength, isProprietary ? 1 : 2)..<addressLength) }
    /// True for a maker's own sentence: `$P...`.
    package var isProprietary: Bool { self[0] == UInt8(ascii: "P") }
    /// A field as text, nil where it is empty or missing. It makes a string: for
    /// rare sentences only.
    package func field(_ number: Int) -> String? {
        guard let range = range(number) else { return nil }
        return text(range)
    }

    package var body: String { text(0..<count) }

    private func text(_ range: Range<Int>) -> String {
        var text = ""
        for index in range { text.unicodeScalars.append(Unicode.Scalar(self[index])) }
        return text
    }

    private var addressLength: Int { commaCount > 0 ? self[comma: 0] : count }

    /// The place of a field; nil where it is empty or missing.
    @inline(__always)
    func range(_ number: Int) -> Range<Int>? {
        guard number >= 1, number <= commaCount else { return nil }
        let start = self[comma: number - 1] + 1
        let end = number < commaCount ? self[comma: number] : count
        return start < end ? start..<end : nil
    }

    /// The first byte of a field; nil where it is empty or missing.
    @inline(__always)
    func letter(_ number: Int) -> UInt8? {
        guard let range = range(number) else { return nil }
        return self[range.lowerBound]
    }
}

extension NMEASentence {
    /// What a sentence is about, as far as it matters here.
    enum Kind: UInt8, Sendable {
        case rmc, gga, gns, gll, zda, gst, gsa, vtg, gsv, gbs, other

        /// This kind as one bit of a set.
        @inline(__always)
        var bit: UInt16 { 1 << UInt16(rawValue) }

        /// Those that carry a time of day, which separates the moments.
        @inline(__always)
        static var timed: UInt16 { rmc.bit | gga.bit | gns.bit | gll.bit | zda.bit | gst.bit }
    }

    /// Two letters of talker and three of type; every other address is a maker's own or unknown. PQ is how
    /// modems of Quectel begin BeiDou's and QZSS's.
    @inline(__always)
    var kind: Kind {
        guard addressLength == 5, !isProprietary || self[1] == UInt8(ascii: "Q") else { return .other }
        let key = UInt32(self[2]) << 16 | UInt32(self[3]) << 8 | UInt32(self[4])
        return switch key {  // the type's three letters in ASCII
        case 0x52_4D43: .rmc
        case 0x47_4741: .gga
        case 0x47_4E53: .gns
        case 0x47_4C4C: .gll
        case 0x5A_4441: .zda
        case 0x47_5354: .gst
        case 0x47_5341: .gsa
        case 0x56_5447: .vtg
        case 0x47_5356: .gsv
        case 0x47_4253: .gbs
        default: .other
        }
    }
}
