// SPDX-License-Identifier: Apache-2.0
import Base

/// What is missing between a table and the next one, which goes on with it, for `CSVTable`. Takes in each file
/// with `begin`, and then all its lines in order.
package struct TableFileGaps: Sendable {
    private struct Moment {
        let time: Instant?
        let uptime: Double?

        init(_ row: ArraySlice<UInt8>) {
            let fields = row.split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
            let texts = fields.prefix(2).map { String(decoding: $0, as: UTF8.self) }
            time = texts.first.flatMap { Instant.parsed($0) }
            uptime = texts.dropFirst().first.flatMap { UptimeText.time(Substring($0)) }
                .map { Double($0.nanoseconds) / 1e9 }
        }
    }

    /// In bytes: room for a row's time and uptime.
    private static let longestMoment = 64
    private var head = ParsedCSVHeader()
    private var measuredRate: Double?
    private var bootID: String?
    private var isOtherBoot = false
    /// No row of the file has come yet.
    private var isAtStart = true
    /// The beginning of the row before; empty before the first.
    private var last: [UInt8] = []
    /// The uptime at which a `#gap` line since that row ends.
    private var gapEnd: Double?

    package init() {}

    package mutating func begin(_ file: RecordedFile) {
        let description = file.description
        isOtherBoot = !last.isEmpty && (isOtherBoot || description?.bootID != bootID)
        (bootID, measuredRate) = (description?.bootID, description?.measuredRate)
        (head, isAtStart) = (ParsedCSVHeader(), true)
    }

    /// Takes in a line that is no row.
    package mutating func read(_ line: ArraySlice<UInt8>) {
        if isAtStart { head.read(line) }
        if let gap = TextGap(line) { gapEnd = gap.end }
    }

    /// Takes in a row; returns the `#gap` line before it where rows are missing since the file before.
    package mutating func takeRow(_ row: ArraySlice<UInt8>) -> String? {
        defer {
            (isAtStart, isOtherBoot, gapEnd) = (false, false, nil)
            last.removeAll(keepingCapacity: true)
            last += row.prefix(Self.longestMoment)
        }
        return isAtStart && !last.isEmpty ? gap(from: Moment(last[...]), to: Moment(row)) : nil
    }

    private func gap(from last: Moment, to first: Moment) -> String? {
        let uptimes = last.uptime.flatMap { start in first.uptime.map { $0 - start } }
        let times = last.time.flatMap { start in first.time.map { ($0 - start).seconds } }
        // Without descriptions, an uptime that goes back is that of another boot.
        let isOtherBoot = isOtherBoot || bootID == nil && (uptimes ?? 0) < 0
        let seconds = isOtherBoot ? times : uptimes ?? times
        guard isOtherBoot || !isListed(first) && seconds.map(isMissing) ?? false else { return nil }
        var line = "#gap"
        if !isOtherBoot, let uptime = last.uptime { line += " start=\(Decimals.text(uptime + rowLength, 6))" }
        if let uptime = first.uptime { line += " end=\(Decimals.text(uptime, 6))" }
        if let count = seconds.flatMap(samples) { line += " samples=\(count)" }
        return line + " reason=betweenFiles"
    }

    /// The file's own `#gap` line reaches up to the row, so that the gap needs no other.
    private func isListed(_ first: Moment) -> Bool {
        guard let gapEnd else { return false }
        return !(first.uptime.map { isMissing($0 - gapEnd) } ?? false)
    }

    /// Rows of events, which have no units, come when they come.
    private var rate: Double? { head.units.isEmpty ? nil : measuredRate ?? head.rate }
    /// Seconds from the first sample of a row to its last.
    private var rowLength: Double { rate.map { Double(head.samplesPerRow - 1) / $0 } ?? 0 }

    /// The limits of `ContentCheck.checkTable`, from row to row.
    private func isMissing(_ seconds: Double) -> Bool {
        guard let period = rate.map({ Double(head.samplesPerRow) / $0 }) else { return false }
        return seconds - period > max(0.7 * period, 0.02)
    }

    private func samples(_ seconds: Double) -> Int? {
        guard let rate, seconds > 0 else { return nil }
        return max(0, Int((seconds * rate).rounded()) - head.samplesPerRow)
    }
}
