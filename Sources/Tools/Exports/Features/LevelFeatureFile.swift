// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// The levels of sound of one of our tables, for `FileFeatures`; seconds without a time of day are left out.
final class LevelFeatureFile: FeatureFile {
    let offset: Int?
    private let table: CSVTable
    private let column: Int

    /// True for a table of calibrated levels, in dB re 20 µPa; levels in dB re full scale are not comparable.
    static func recognises(_ file: RecordedFile) -> Bool { (try? LevelFeatureFile(file)) != nil }

    init(_ file: RecordedFile) throws(FileError) {
        guard file.content == .table else { throw Self.failure(file) }
        table = try CSVTable(file)
        guard let column = table.columns.firstIndex(of: "LAeq"), table.units.indices.contains(column),
            table.units[column] == "dB"
        else { throw Self.failure(file) }
        self.column = column
        offset = file.description?.offsetSeconds
    }

    private static func failure(_ file: RecordedFile) -> FileError {
        file.refusal("is no table of sound levels in dB")
    }

    var progress: Double { table.progress }

    func next() throws(FileError) -> FeatureBatch<LevelSample>? {
        var followsGap = false
        while let row = try table.next() {
            followsGap = followsGap || row.followsGap
            guard let time = row.time, let level = row.values[column] else { continue }
            return FeatureBatch(samples: [LevelSample(time: time, level: level)], followsGap: followsGap)
        }
        return nil
    }
}
