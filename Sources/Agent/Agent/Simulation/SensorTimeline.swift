// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// What a device's sensors said, epoch by epoch: input for rules in virtual time (`StudySimulation`), and for a proof
/// of what they decided (`ProofWalk`). From recordings (`init(replaying:)`) or from a table (`init(table:)`).
package struct SensorTimeline: Sendable {
    package struct Entry: Sendable {
        /// When a device knows it.
        package let at: Instant
        package let news: News

        package init(at: Instant, news: News) { (self.at, self.news) = (at, news) }
    }
    package enum News: Sendable {
        case epoch(FeatureEpoch)
        /// Nil = it is worn again.
        case notWorn(since: Instant?)
    }

    /// In the order in which a device knows them.
    package private(set) var entries: [Entry]

    package init(_ entries: [Entry] = []) {
        self.entries = entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    /// The beginning of the first epoch; nil where there is none.
    package var start: Instant? {
        for entry in entries { if case .epoch(let epoch) = entry.news { return epoch.start } }
        return nil
    }

    package var end: Instant? { entries.last?.at }
}

extension SensorTimeline {
    private static let mostBytes = 512 << 20
    /// The sensor of each column of a table that rules may look at; other columns are skipped.
    private static let columns: [String: String] = [
        "enmo": "accelerometer", "mad": "accelerometer", "angle_z": "accelerometer", "counts_x": "accelerometer",
        "counts_y": "accelerometer", "counts_z": "accelerometer", "counts_vm": "accelerometer", "laeq": "sound",
        "sound": "sound", "dwell": "position", "visit": "position",
    ]
    /// The column that says how much of an epoch each sensor's samples cover.
    private static let coverages = [
        "accelerometer": "coverage", "sound": "sound_coverage", "position": "position_coverage",
    ]

    /// A table of `studyd-tools features`, or one that a device wrote (unpacked).
    package init(table path: String) throws {
        let bytes = try BoundedFile.read(path, limit: Self.mostBytes)
        var reader = Table(path: path)
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            try reader.take(line, number)
        }
        self.init(reader.entries)
    }

    /// Reads a table line by line: a line `#epoch 1m`, the header, the rows.
    private struct Table {
        let path: String
        var entries: [Entry] = []
        /// The length of an epoch, from `#epoch`.
        private var length: Duration?
        /// The header; empty before it was read.
        private var names: [String] = []
        /// Indexes of columns: `time`, `worn` (nil = none), and those of each sensor.
        private var time = 0
        private var worn: Int?
        private var sources: [(name: String, columns: [String], places: [Int], coverage: Int?)] = []
        /// As of the last row.
        private var isWorn = true

        init(path: String) { self.path = path }

        mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) throws {
            guard let first = line.first, first != UInt8(ascii: "\r") else { return }
            if first == UInt8(ascii: "#") { return comment(String(decoding: line, as: UTF8.self)) }
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard names.isEmpty else { return try row(fields, number) }
            try header(fields.map { String(decoding: $0.filter { $0 != 0x0D }, as: UTF8.self) }, number)
        }

        private mutating func comment(_ text: String) {
            guard text.hasPrefix("#epoch ") else { return }
            let word = text.dropFirst(7).prefix { $0 != "," && $0 != " " && $0 != "\r" }
            length = try? Duration(parsing: String(word))
        }

        private mutating func header(_ all: [String], _ number: Int) throws {
            names = all
            guard length != nil else {
                throw failure(number, "says no epoch", "begin it with a line like '#epoch 1m'")
            }
            guard let place = all.firstIndex(of: "time") else {
                throw failure(number, "has no column time", "use a table of 'studyd-tools features'")
            }
            time = place
            worn = all.firstIndex(of: "worn")
            for name in RuleSensors.sources {
                let places = all.indices.filter { SensorTimeline.columns[all[$0]] == name }
                guard !places.isEmpty else { continue }
                let coverage = SensorTimeline.coverages[name].flatMap(all.firstIndex)
                sources.append((name, places.map { all[$0] }, places, coverage))
            }
        }

        private mutating func row(_ fields: [ArraySlice<UInt8>], _ number: Int) throws {
            func text(_ place: Int) -> String {
                fields.indices.contains(place)
                    ? String(decoding: fields[place].filter { $0 != 0x0D }, as: UTF8.self) : ""
            }
            func value(_ place: Int) throws -> Double? {
                let text = text(place)
                guard !text.isEmpty else { return nil }
                guard let value = Double(text), value.isFinite else {
                    throw failure(number, "'\(text)' is no number", nil)
                }
                return value
            }
            guard let length, let start = Instant.parsed(text(time)) else {
                throw failure(number, "'\(text(time))' is no time in UTC", "write it like 2026-03-01T09:05:00Z")
            }
            for source in sources {
                let epoch = FeatureEpoch(
                    source: source.name, start: start, length: length, columns: source.columns,
                    values: try source.places.map(value), coverage: try source.coverage.flatMap { try value($0) } ?? 1)
                entries.append(Entry(at: epoch.end, news: .epoch(epoch)))
            }
            guard let worn, let now = try value(worn), (now != 0) != isWorn else { return }
            isWorn = now != 0
            entries.append(Entry(at: start + length, news: .notWorn(since: isWorn ? nil : start)))
        }

        private func failure(_ line: Int, _ problem: String, _ remedy: String?) -> FileError {
            FileError(path: path, message: "line \(line) \(problem)", remedy: remedy)
        }
    }
}
