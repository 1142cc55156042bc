// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Our CSV: its head, every row's form, the order of times, and a `#gap` line wherever a row is missing.
/// `studyd recordings verify` asks for it through `CSVFormat.check`.
extension ContentCheck {
    /// Looks through all lines; `hasUnits` where the head names units and columns that the
    /// description has, too.
    mutating func checkTable(
        _ file: File, _ isCompressed: Bool, _ description: RecordingDescription?, hasUnits: Bool
    ) throws(FileError) {
        let lines = try TextLines(file, isCompressed: isCompressed)
        var table = TableCheck(measuredRate: description?.measuredRate)
        while let line = try lines.next() { table.check(line) }
        let head = table.head
        (stored, first, last) = (table.rows * head.samplesPerRow, table.first, table.last)
        if lines.isTorn { problems.append("the last line is truncated") }
        problems += table.problems
        noise += table.disorder  // counts only where no digest confirms the bytes
        // zlib writes no time and no name (RFC 1952, 2.3); whatever else is there came later.
        if isCompressed, head.number != nil,
            try file.read(10, at: 0) != [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        {
            problems.append("the gzip header was changed")
        }
        guard let description else { return }
        expect(head.number == description.number, "its first line belongs to another recording")
        expect(head.rate == nil || head.rate == description.nominalRate, "its rate differs from the description")
        guard description.schemaVersion != nil, hasUnits else { return }
        expect(head.units == description.channels.map(\.unit), "its units differ from the description")
        expect(head.columns.count - 2 == description.channels.count, "its columns differ from the description")
    }
}

/// Takes the lines of a table one after another, and collects what is wrong with them.
private struct TableCheck {
    var head = ParsedCSVHeader()
    var rows = 0
    var first: Double?
    var last: Double?
    private let measuredRate: Double?
    private var line = 0
    private var faults: [String] = []
    private var faultCount = 0
    /// Rows that come too early or too late for the rate of the file; at most three.
    private(set) var disorder: [String] = []
    private var gap: TextGap?
    /// Uptime and time of the first row that has a time. The file has one anchor, so from there on both clocks
    /// advance together.
    private var clock: (uptime: Double, time: Instant)?
    private var lastTime: Instant?

    init(measuredRate: Double?) { self.measuredRate = measuredRate }

    var problems: [String] {
        var problems = faults
        if faultCount > faults.count { problems.append("more damaged lines: \(faultCount - faults.count)") }
        if head.columns.isEmpty { problems.append("the header line time,uptime,... is missing") }
        if head.number == nil { problems.append("the line #studyd, which begins every recording, is missing") }
        return problems
    }

    mutating func check(_ bytes: ArraySlice<UInt8>) {
        line += 1
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return addFault("contains bytes that are not text")
        }
        switch bytes.first {
        case UInt8(ascii: ","), (48...57)?: checkRow(bytes)
        case UInt8(ascii: "#"): readComment(bytes)
        default:
            guard head.columns.isEmpty, bytes.starts(with: "time,".utf8) else {
                return addFault("is neither a row nor a comment")
            }
            head.read(bytes)
        }
    }

    private mutating func readComment(_ bytes: ArraySlice<UInt8>) {
        if bytes.starts(with: "#gap".utf8) {
            guard let gap = TextGap(bytes) else { return addFault("is not a complete #gap line") }
            self.gap = gap
        } else if rows == 0 {
            head.read(bytes)
        }
    }

    private mutating func checkRow(_ bytes: ArraySlice<UInt8>) {
        let fields = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard !head.columns.isEmpty, fields.count == head.columns.count else {
            return addFault("has \(fields.count) columns instead of \(head.columns.count)")
        }
        rows += 1
        let time = fields[0].isEmpty ? nil : Instant.parsed(String(decoding: fields[0], as: UTF8.self))
        if time == nil, !fields[0].isEmpty { addFault("has no time") }
        if !head.units.isEmpty, !fields.dropFirst(2).allSatisfy({ $0.isEmpty || Self.isNumber($0) }) {
            addFault("has a value that is not a number")
        }
        guard Self.isNumber(fields[1]), let uptime = UptimeText.time(Substring(decoding: fields[1], as: UTF8.self))
        else {
            return addFault("has no uptime")
        }
        checkTimes(Double(uptime.nanoseconds) / 1e9, time)
        gap = nil
    }

    /// Compares a row's uptime (seconds) and time with those of the rows before it and with the `#gap` line.
    private mutating func checkTimes(_ uptime: Double, _ time: Instant?) {
        defer { (last, lastTime, first) = (uptime, time ?? lastTime, first ?? uptime) }
        if let clock, let time, abs((time - clock.time).seconds - (uptime - clock.uptime)) > 1 {
            addFault("has a time that contradicts its uptime")
        }
        if clock == nil, let time { clock = (uptime, time) }
        if rows > 1, (time == nil) != (lastTime == nil) {
            addFault("has a time where others have none, or none where they have one")
        }
        if let gap, uptime < gap.end - 0.01 || uptime > gap.end + settling + 0.01 {
            addFault("is not the one named by the #gap line before it")
        }
        guard let last else { return }
        // Events, which have no units, may share a moment.
        let isRegular = !head.units.isEmpty
        if uptime < last || isRegular && uptime == last { return addDisorder("goes back in time") }
        guard isRegular, gap == nil, let rate = rowRate else { return }
        // Up to 0.7 of a period late, at high rates up to 20 ms, no row is missing.
        let missing = (uptime - last) * rate - 1
        if missing > 0.7, uptime - last > 1 / rate + 0.02 {
            addDisorder("comes \(Decimals.text(uptime - last, 3)) s after the one before it, without a #gap line")
        }
    }

    /// Sound is in no row while the filters settle, half a second after each gap.
    private var settling: Double { head.isLevels ? 0.5 : 0 }

    private var rowRate: Double? {
        (measuredRate ?? head.rate).map { $0 / Double(head.samplesPerRow) }
    }

    private mutating func addFault(_ what: String) {
        faultCount += 1
        if faults.count < 3 { faults.append("line \(line) \(what)") }
    }

    private mutating func addDisorder(_ what: String) {
        if disorder.count < 3 { disorder.append("line \(line) \(what)") }
    }

    private static func isNumber(_ field: ArraySlice<UInt8>) -> Bool {
        field.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 46 }
            && Double(Substring(decoding: field, as: UTF8.self)) != nil
    }
}
