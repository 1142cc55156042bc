// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The loudness of a recorder's sound as SageResearch's audio recorder writes it: one record per second, at its
/// end, with average and peak in dB re full scale. `RequestPacker` puts it into a task's archive.
///
/// Average: of the root of the mean square, so that of a full-scale sine is -3.01. Peak: of the
/// largest sample; left out where only levels were kept, which do not have it. Digital silence is
/// -160, as the original's meter has it.
package struct LevelLog {
    private let files: [RecordedFile]
    private var marks: StepMarks
    private let output: ExportOutput
    private static let silence = -160.0
    /// How many dB a table's levels are above those written here: in a table 0 dB is a full-scale sine.
    private static let sine = 10 * Trigonometry.logarithm10(2)

    /// A log of these files, each FLAC or levels, in the order of time.
    package init(_ files: [RecordedFile], marks: [StepMark], to output: ExportOutput) {
        self.files = files
        self.marks = StepMarks(
            marks, path: files.first?.stepPath ?? "", start: files.first?.description?.startUptime ?? 0)
        self.output = output
    }

    package mutating func write() throws(FileError) {
        var records = SageJSONRecords(output, omitsNull: true)
        for file in files {
            if file.content == .table { try addRows(of: file, &records) } else { try addSeconds(of: file, &records) }
        }
        records.end()
    }

    private mutating func addRows(of file: RecordedFile, _ records: inout SageJSONRecords) throws(FileError) {
        let table = try CSVTable(file)
        let above = (file.description?.calibration ?? 0) + Self.sine
        while let row = try table.next() {
            // LZeq (`LevelCSVWriter`): the others are weighted.
            guard let uptime = row.uptime, row.values.count > 2, let average = row.values[2] else { continue }
            // A line of the table has the time of its second's first sample.
            try add(&records, uptime + 1, average - above, peak: nil)
        }
    }

    private mutating func addSeconds(of file: RecordedFile, _ records: inout SageJSONRecords) throws(FileError) {
        let start = file.description?.startUptime ?? 0
        for level in try Self.levels(of: file) { try add(&records, start + level.end, level.average, peak: level.peak) }
    }

    private mutating func add(
        _ records: inout SageJSONRecords, _ uptime: Double, _ average: Double, peak: Double?
    ) throws(FileError) {
        marks.advance(to: uptime)
        try records.add([
            "uptime": .number(uptime, decimals: 6), "timestamp": .number(max(0, uptime - marks.start), decimals: 6),
            "stepPath": .text(marks.path), "timeInterval": .number(1, decimals: 0),
            "average": .number(average, decimals: 2), "peak": .number(peak, decimals: 2), "unit": .text("dbFS"),
        ])
    }

    /// Whole seconds, with their ends since the file's start; what is left at the end is one more where it is half a
    /// second or longer.
    private static func levels(
        of file: RecordedFile
    ) throws(FileError) -> [(end: Double, average: Double, peak: Double)] {
        var levels: [(end: Double, average: Double, peak: Double)] = []
        var (sum, peak, count, rate) = (0.0, 0.0, 0, 0)
        let decoder = try FLACDecoder(file.file) { samples, format throws(FileError) in
            rate = format.rate * format.channels
            let scale = Double(Int64(1) << Int64(format.bits - 1))
            for sample in samples {
                let value = Double(sample) / scale
                sum += value * value
                peak = max(peak, abs(value))
                count += 1
                guard count == rate else { continue }
                levels.append((Double(levels.count + 1), decibel((sum / Double(count)).squareRoot()), decibel(peak)))
                (sum, peak, count) = (0, 0, 0)
            }
        }
        try decoder.run()
        if count > 0, count * 2 >= rate || levels.isEmpty {
            let end = Double(levels.count) + Double(count) / Double(rate)
            levels.append((end, decibel((sum / Double(count)).squareRoot()), decibel(peak)))
        }
        return levels
    }

    private static func decibel(_ value: Double) -> Double {
        value > 0 ? max(silence, 20 * Trigonometry.logarithm10(value)) : silence
    }
}
