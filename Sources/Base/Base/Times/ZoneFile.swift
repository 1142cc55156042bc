// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a time zone file. `Zone` throws it, and `ZoneError` names the file.
package struct ZoneFileError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with them.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// What a TZif file says (RFC 8536), for `Zone`: transitions, the periods between them, and the rule for ever
/// after.
struct ZoneFile {
    let transitions: [Int64]
    /// One more than `transitions`; the first is in force before all of them.
    let periods: [Zone.Period]
    let rule: ZoneRule?

    init(_ bytes: [UInt8]) throws(ZoneFileError) {
        var reader = ZoneFileReader(bytes[...])
        var header = try reader.header()
        if header.version > 0 {
            // The first block has 32-bit times, for old readers; the second has the same and more,
            // with 64-bit times.
            try reader.skip(header.length(timeSize: 4))
            header = try reader.header()
        }
        let body = try reader.body(header, timeSize: header.version > 0 ? 8 : 4)
        transitions = body.transitions
        periods = body.periods
        rule = header.version > 0 ? try reader.footer() : nil
    }
}

/// The version and the six counts of a block, in the file's order: isutcnt, isstdcnt, leapcnt, timecnt, typecnt,
/// charcnt (RFC 8536 §3.1).
private struct ZoneFileHeader {
    let version: UInt8
    let utcMarks: Int
    let standardMarks: Int
    let leaps: Int
    let times: Int
    let types: Int
    let characters: Int

    func length(timeSize: Int) -> Int {
        times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standardMarks + utcMarks
    }
}

/// Reads big-endian fields, and throws when the file ends before them.
private struct ZoneFileReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func skip(_ count: Int) throws(ZoneFileError) { _ = try read(count) }

    private mutating func read(_ count: Int) throws(ZoneFileError) -> ArraySlice<UInt8> {
        guard rest.count >= count else {
            throw ZoneFileError("the time zone file is \(count - rest.count) bytes short; reinstall tzdata")
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A signed number of 4 or 8 bytes.
    private mutating func number(_ size: Int) throws(ZoneFileError) -> Int64 {
        let bits = try read(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
    }

    private mutating func count() throws(ZoneFileError) -> Int {
        let count = try number(4)
        guard (0...65_536).contains(count) else { throw ZoneFileError("the time zone file counts \(count) entries") }
        return Int(count)
    }

    mutating func header() throws(ZoneFileError) -> ZoneFileHeader {
        guard try Array(read(4)) == Array("TZif".utf8) else {
            throw ZoneFileError("not a time zone file: it does not begin with TZif")
        }
        let version = try read(16).first ?? 0
        let counts = [try count(), try count(), try count(), try count(), try count(), try count()]
        return ZoneFileHeader(
            version: version, utcMarks: counts[0], standardMarks: counts[1], leaps: counts[2], times: counts[3],
            types: counts[4], characters: counts[5])
    }

    mutating func body(
        _ header: ZoneFileHeader, timeSize: Int
    ) throws(ZoneFileError) -> (transitions: [Int64], periods: [Zone.Period]) {
        guard header.leaps == 0 else {
            throw ZoneFileError("the time zone file counts leap seconds (right/...); take the one without")
        }
        var transitions: [Int64] = []
        for _ in 0..<header.times { transitions.append(try number(timeSize)) }
        guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw ZoneFileError("the transitions of the time zone file are out of order")
        }
        let indices = try read(header.times)
        let types = try self.types(header)
        try skip(header.standardMarks + header.utcMarks)
        guard let first = types.first, indices.allSatisfy({ Int($0) < types.count }) else {
            throw ZoneFileError("the time zone file names a local time type that it does not have")
        }
        return (transitions, [first] + indices.map { types[Int($0)] })
    }

    /// The local time types: offset (4 bytes), summer time (1), where the abbreviation begins (1);
    /// then those as C strings.
    private mutating func types(_ header: ZoneFileHeader) throws(ZoneFileError) -> [Zone.Period] {
        let records = try Array(read(header.types * 6))
        let names = try Array(read(header.characters))
        var types: [Zone.Period] = []
        for start in stride(from: 0, to: records.count, by: 6) {
            let bits = records[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let offset = Int(Int32(bitPattern: bits))
            guard (-93_599...93_599).contains(offset), Int(records[start + 5]) < names.count else {
                throw ZoneFileError("the time zone file has a local time type out of range")
            }
            let name = names[Int(records[start + 5])...].prefix { $0 != 0 }
            let abbreviation = String(decoding: name, as: UTF8.self)
            types.append(Zone.Period(offset: offset, isDaylight: records[start + 4] != 0, abbreviation: abbreviation))
        }
        return types
    }

    /// The TZ string between two newlines; nil where it is empty.
    mutating func footer() throws(ZoneFileError) -> ZoneRule? {
        guard try read(1).first == 0x0A, let end = rest.firstIndex(of: 0x0A) else {
            throw ZoneFileError("the time zone file has no footer; reinstall tzdata")
        }
        let text = rest[..<end]
        if text.isEmpty { return nil }
        guard let rule = ZoneRule(text) else {
            throw ZoneFileError(
                "the footer of the time zone file is not a rule: \(String(decoding: text, as: UTF8.self))")
        }
        return rule
    }
}
