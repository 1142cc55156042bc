// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// CWA (motion) as text for `studyd-tools export --to csv`: one line per sample, acceleration in g, rotation in
/// °/s.
///
/// Only the header and comments begin with a letter or `#`. `uptime` is there where the file or its
/// description knows it.
package struct CWACSVExporter: Exporter {
    package let content = RecordedContent.motion
    package let format = ExportFormat.csv

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        try Self.export(MotionSource(files, window: wanted.window), to: output, progress: progress)
    }

    /// Writes the wanted part of several files. Returns what is left out.
    @discardableResult
    package static func export(
        _ motion: MotionSource, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) -> [String] {
        let source = motion.files[0]
        let timeline = try motion.open()
        guard let first = try timeline.next() else {
            throw source.refusal("has nothing in the requested time")
        }
        writeHeader(source, first.block, timeline.clock, to: output)
        var next: CWATimeline.TimedBlock? = first
        while let timed = next {
            write(timed, &timeline.clock, to: output)
            try output.drain()
            if timeline.count % 256 == 0 { progress(timeline.progress) }
            next = try timeline.next()
        }
        if timeline.damagedBlocks > 0 { output.text("#damaged blocks=\(timeline.damagedBlocks)\n") }
        if timeline.undatedBlocks > 0 { output.text("#undated blocks=\(timeline.undatedBlocks)\n") }
        return timeline.notes
    }

    private static func writeHeader(
        _ source: RecordedFile, _ block: CWABlock, _ clock: ExportClock, to output: ExportOutput
    ) {
        let rotates = block.hasRotation
        output.text("#export of \(source.nameInOneLine), \(block.rate) per second\n")
        if let mounting = source.description?.mountingMatrix { output.text("#mount \(CWAWriter.text(mounting))\n") }
        if let place = source.description?.bodyLocation { output.text("#worn \(CSVHeader.clean(place))\n") }
        // No zone: the boot never had a time of day. An empty one: a foreign file, in local time.
        if clock.zone == nil { output.text("#clock unknown: only uptimes are right\n") }
        if clock.zone == "" { output.text("#clock wall time, no zone\n") }
        output.text("#units g,g,g\(rotates ? ",deg/s,deg/s,deg/s" : "")\n")
        output.text("time,\(clock.hasUptime ? "uptime," : "")x,y,z\(rotates ? ",gyro_x,gyro_y,gyro_z" : "")\n")
    }

    private static func write(_ timed: CWATimeline.TimedBlock, _ clock: inout ExportClock, to output: ExportOutput) {
        if let gap = timed.gap {
            let uptime = clock.uptime(timed.start).map { "uptime=\(Decimals.text($0, 6)) " } ?? ""
            output.text("#gap \(uptime)seconds=\(Decimals.text(gap, 3))\n")
        }
        let block = timed.block
        // The longest row: two times of 33 and 20 characters, and six values of 12.
        output.rows(capacity: block.count * 160 + 8) { row in
            let rotates = block.packing.axes > 3
            let (step, scale) = (timed.period * 1e9, block.accelerationMillionths)
            for index in 0..<block.count {
                let shift = Int64((Double(index) * step).rounded(.toNearestOrEven))
                clock.write(timed.start.nanoseconds &+ shift, to: &row)
                let first = index * block.packing.axes
                write(block.values, first + (rotates ? 3 : 0), scale, to: &row)
                if rotates { write(block.values, first, block.rotationMillionths, to: &row) }
                row.byte(0x0A)
            }
        }
    }

    /// Three values of `scale` millionths over 32 768 per count, rounded half away from zero.
    private static func write(_ values: [Int16], _ first: Int, _ scale: Int64, to row: inout RowBytes) {
        for place in first..<first + 3 {
            let product = Int64(values[place]) &* scale
            row.byte(UInt8(ascii: ","))
            row.millionths((product &+ (product < 0 ? -16_384 : 16_384)) / 32_768)
        }
    }
}
