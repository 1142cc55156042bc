// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// Features that a device recorded itself, averaged over longer epochs, for the lab's `ParticipantEpochs`.
/// Files whose epochs are longer than the wanted ones are left out; a row that lies in two of these counts in
/// each by its share of time.
package final class RecordedFeatures: FeatureStream {
    private let epoch: Epoch
    private var rest: [RecordedFile]
    private var table: CSVTable?
    /// For each wanted column its index in the table.
    private var places: [Int?] = []
    /// The length of the epochs in the current file.
    private var length = Duration.zero
    private var coveragePlace: Int?
    /// The row that comes next.
    private var pending: (time: Instant, values: [Double?])?
    /// The epoch of the last row, and the one after it where the row reached into that.
    private var open: [Sums] = []

    /// `files` in the order of time.
    package init(_ files: [RecordedFile], epoch: Epoch, columns: [FeatureColumn]) {
        self.epoch = epoch
        rest = files.reversed()
        super.init("coverage", columns, of: files)
    }

    override package func next() throws(FileError) -> FeatureRow? {
        while true {
            if pending == nil { pending = try nextRow() }
            if let first = open.first, pending.map({ epoch.range(of: $0.time) }) != first.range {
                return open.removeFirst().row
            }
            guard let (time, values) = pending else { return nil }
            add(values, at: time)
            pending = nil
        }
    }

    private func add(_ values: [Double?], at time: Instant) {
        let found = places.map { place in place.flatMap { values[$0] } }
        let coverage = coveragePlace.flatMap { values[$0] } ?? 1
        var start = time
        while start < time + length {
            let range = epoch.range(of: start)
            let place = open.firstIndex { $0.range == range } ?? open.count
            if place == open.count { open.append(Sums(range, columns.count)) }
            let share = (min(time + length, range.upperBound) - start).seconds / epoch.length.seconds
            open[place].add(found, share * coverage)
            start = range.upperBound
        }
    }

    /// The next row that has a time of day, over all files.
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
        guard let rate = file.description?.nominalRate, 1 / rate < epoch.length.seconds + 0.001 else { return }
        length = .milliseconds(Int64((1000 / rate).rounded()))
        let table = try CSVTable(file)
        places = columns.map { table.columns.firstIndex(of: $0.name) }
        coveragePlace = table.columns.firstIndex(of: "coverage")
        let start = file.description?.startDate.flatMap(Instant.parsed) ?? .epoch
        begin(file.description?.offsetSeconds, at: start)
        self.table = table
    }

    /// The weighted sums of one wanted epoch.
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
