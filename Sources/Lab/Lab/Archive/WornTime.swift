// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// How long a device was worn on a day, by the feature `worn` of its recordings; the rest of the day is
/// unknown. `WearIndex` gives it to the pages.
struct WornTime: Sendable, Hashable {
    /// Seconds.
    var worn = 0
    var notWorn = 0

    /// `worn 17 h 20 min, not worn 2 h 5 min`.
    var words: String {
        "worn \(Duration.seconds(worn).shown)" + (notWorn > 0 ? ", not worn \(Duration.seconds(notWorn).shown)" : "")
    }

    static func + (one: WornTime, other: WornTime) -> WornTime {
        WornTime(worn: one.worn + other.worn, notWorn: one.notWorn + other.notWorn)
    }

    /// Rows of one file that are read, at most: a day of epochs of one second has 86 400.
    private static let mostRows = 200_000
    private static let (usualEpoch, longestEpoch) = (60, 900)

    /// By day of a clock `offset` seconds east of UTC; empty for a table without that feature. The
    /// smallest distance of two rows is the length of an epoch. Blocks on the disk.
    static func days(of path: String, named name: String, offset: Int) throws -> [LocalDate: WornTime] {
        let table = try CSVTable(RecordedFile(path, named: name, described: nil))
        guard let column = table.columns.firstIndex(of: "worn") else { return [:] }
        var rows: [(time: Instant, isWorn: Bool)] = []
        var (last, step): (Instant?, Int?)
        for _ in 0..<mostRows {
            guard let row = try table.next() else { break }
            guard let time = row.time else { continue }
            if let last, time > last { step = min(step ?? longestEpoch, Int((time - last).seconds)) }
            last = time
            if let value = row.values[column] { rows.append((time, value > 0.5)) }
        }
        let length = max(1, step ?? usualEpoch)
        return rows.reduce(into: [:]) { days, row in
            let day = LocalDateTime(row.time, offset: offset).date
            days[day, default: WornTime()] =
                days[day, default: WornTime()]
                + (row.isWorn ? WornTime(worn: length) : WornTime(notWorn: length))
        }
    }
}
