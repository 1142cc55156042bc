// SPDX-License-Identifier: Apache-2.0

/// A recorded NMEA log, cut into the epochs in which the receiver sent it, for `SimulatedGPS` to play. The
/// bytes stay as they were.
package struct NMEALog: Sendable, Hashable {
    /// For each epoch the bytes of its sentences, line ends included.
    package let epochs: [[UInt8]]

    /// Cuts a log. Lines that begin with `#` are comments. A new time of day begins a new epoch;
    /// where a receiver has no time yet, the first sentence that comes again does.
    package init(_ log: [UInt8]) {
        var epochs: [[UInt8]] = []
        var current = Epoch()
        for line in Self.lines(of: log) where line.first != UInt8(ascii: "#") {
            let mark = Mark(line)
            if current.ends(before: mark, adding: line.count) {
                epochs.append(current.bytes)
                current = Epoch()
            }
            current.append(line, mark)
        }
        if !current.bytes.isEmpty { epochs.append(current.bytes) }
        self.epochs = epochs
    }

    private static func lines(of log: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for index in log.indices where log[index] == UInt8(ascii: "\n") {
            lines.append(log[start...index])
            start = index + 1
        }
        if start < log.count { lines.append(log[start...]) }
        return lines
    }
}

/// One epoch while it grows.
private struct Epoch {
    /// A receiver's second is below 2 KB; a log without any time would otherwise be one epoch.
    private static let largest = 16_384
    var bytes: [UInt8] = []
    /// The time of day of its sentences, once one had any.
    var time: [UInt8]?
    /// Types of its sentences with an empty time so far.
    var timeless: Set<[UInt8]> = []

    /// Whether the next line belongs to another epoch.
    func ends(before mark: Mark?, adding count: Int) -> Bool {
        if bytes.count + count > Self.largest { return !bytes.isEmpty }
        guard let mark else { return false }
        if mark.time.isEmpty { return timeless.contains(mark.type) }
        return time.map { $0 != mark.time } ?? !timeless.isEmpty
    }

    mutating func append(_ line: ArraySlice<UInt8>, _ mark: Mark?) {
        bytes += line
        guard let mark else { return }
        if mark.time.isEmpty { timeless.insert(mark.type) } else { time = mark.time }
    }
}

/// The type and time field of a sentence that has one.
private struct Mark {
    let type: [UInt8]
    /// As written: `171925.00`; empty before the first fix.
    let time: [UInt8]

    /// Nil for sentences without a time of day and for anything else.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.first == UInt8(ascii: "$") else { return nil }
        let fields = line.split(separator: UInt8(ascii: ","), maxSplits: 6, omittingEmptySubsequences: false)
        guard fields[0].count == 6, let position = Self.position(of: Array(fields[0].suffix(3))),
            fields.count > position
        else { return nil }
        type = Array(fields[0].suffix(3))
        time = Array(fields[position])
    }

    /// Which field of a sentence is the time of day.
    private static func position(of type: [UInt8]) -> Int? {
        switch String(decoding: type, as: UTF8.self) {
        case "RMC", "GGA", "GNS", "ZDA", "GST", "GBS", "GRS": 1
        case "GLL": 5
        default: nil
        }
    }
}
