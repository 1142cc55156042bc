// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// Features that a device recorded itself, as means over longer epochs; a file with longer ones is
/// passed over.
package final class RecordedFeatures: FeatureStream {
    private let epoch: Epoch
    private var rest: [RecordedFile]
    private var table: CSVTable?
    private var places: [Int?] = []
    /// The share of a wanted epoch that a whole one of the file is.
    private var weight = 0.0
    private var coveragePlace: Int?
    private var open: Sums?

    /// `files` in the order of time.
    package init(_ files: [RecordedFile], epoch: Epoch, columns: [FeatureColumn]) {
        self.epoch = epoch
        rest = files.reversed()
        super.init("coverage", columns)
    }

    override package func next() throws(FileError) -> FeatureRow? {
        while let (time, values) = try nextRow() {
            let range = epoch.range(of: time)
            let share = weight * (coveragePlace.flatMap { values[$0] } ?? 1)
            let found = places.map { place in place.flatMap { values[$0] } }
            guard let before = open, before.range != range else {
                open = open ?? Sums(range, columns.count)
                open?.add(found, share)
                continue
            }
            open = Sums(range, columns.count)
            open?.add(found, share)
            return before.row
        }
        defer { open = nil }
        return open?.row
    }

    /// One with a time of day.
    private func nextRow() throws(FileError) -> (time: Instant, values: [Double?])? {
        while true {
            while let table {
                let row: CSVTable.Row?
                do throws(FileError) { row = try table.next() } catch {
                    self.table = nil
                    throw error
                }
                guard let row else {
                    self.table = nil
                    break
                }
                if let time = row.time { return (time, row.values) }
            }
            guard let file = rest.popLast() else { return nil }
            try begin(file)
        }
    }

    private func begin(_ file: RecordedFile) throws(FileError) {
        let length = file.description.map { 1 / $0.nominalRate } ?? .infinity
        weight = length / epoch.length.seconds
        guard weight < 1.001 else { return }
        let table = try CSVTable(file)
        places = columns.map { table.columns.firstIndex(of: $0.name) }
        coveragePlace = table.columns.firstIndex(of: "coverage")
        let start = file.description?.startDate.flatMap(Instant.parsed) ?? .epoch
        begin(file.description?.offsetSeconds, at: start)
        self.table = table
    }

    private struct Sums {
        let range: Range<Instant>
        private var values: [(sum: Double, weight: Double)]
        private var coverage = 0.0

        init(_ range: Range<Instant>, _ count: Int) {
            self.range = range
            values = Array(repeating: (0, 0), count: count)
        }

        mutating func add(_ row: [Double?], _ share: Double) {
            coverage += share
            for (place, value) in row.enumerated() {
                if let value { values[place] = (values[place].sum + value * share, values[place].weight + share) }
            }
        }

        var row: FeatureRow {
            FeatureRow(
                epoch: range, values: values.map { $0.weight > 0 ? $0.sum / $0.weight : nil },
                coverage: min(1, coverage))
        }
    }
}
