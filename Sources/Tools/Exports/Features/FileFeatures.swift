// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// Features computed from files of one kind; `FeatureExport` makes one for each measure.
final class FileFeatures<Source: FeatureFile>: FeatureStream {
    private var run: FeatureRun<Source.Sample>
    /// The files to come, the next one last.
    private var rest: [RecordedFile]
    /// Between two files; a longer pause is a gap.
    private let longestPause: Duration
    private var file: Source?
    /// The time of the latest sample of all files.
    private var last: Instant?
    /// Rows that are complete, the next one last.
    private var rows: [FeatureRow] = []
    /// The current file has given samples.
    private var isBegun = false
    private var notes: [String]

    /// Between two files a time longer than three samples of `rate` is a gap.
    init(
        _ files: [RecordedFile], _ run: FeatureRun<Source.Sample>, rate: Double, coverage: String, notes: [String] = []
    ) {
        self.run = run
        self.notes = notes
        rest = files.reversed()
        longestPause = .seconds(3 / rate)
        super.init(coverage, run.columns, of: files)
    }

    override var progress: Double {
        (Double(files.count - rest.count - 1) + (file?.progress ?? 1)) / Double(max(1, files.count))
    }

    override var remarks: [String] {
        notes
            + (run.disordered == 0 ? [] : ["samples with a time that was there before, left out: \(run.disordered)"])
    }

    override package func next() throws(FileError) -> FeatureRow? {
        while rows.isEmpty {
            guard try advance() else {
                rows = run.finish().reversed()
                break
            }
        }
        return rows.popLast()
    }

    /// Opens the next file, or reads on in the current one; false after the last.
    private func advance() throws(FileError) -> Bool {
        guard let file else {
            guard let next = rest.popLast() else { return false }
            self.file = try Source(next)
            isBegun = false
            return true
        }
        let batch: FeatureBatch<Source.Sample>?
        do throws(FileError) { batch = try file.next() } catch {
            self.file = nil
            throw error
        }
        guard let batch else {
            notes += file.notes
            self.file = nil
            return true
        }
        if batch.followsGap { run.recordGap() }
        if let first = batch.samples.first { begin(file, first.time) }
        rows = Source.add(batch.samples, to: &run).reversed()
        last = batch.samples.last?.time ?? last
        return true
    }

    private func begin(_ file: Source, _ time: Instant) {
        guard !isBegun else { return }
        isBegun = true
        begin(file.offset, at: time)
        if let last, time - last > longestPause { run.recordGap() }
    }
}
