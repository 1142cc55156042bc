// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// The picture of a FLAC file: the wave and its level over time. The file is decoded twice,
/// first for its length.
package struct SoundPlot: Plot {
    package let content = RecordedContent.sound

    package func page(
        _ source: RecordedFile, in window: PlotWindow?, progress: @escaping (Double) -> Void
    ) throws(FileError) -> PlotPage {
        let scan = try FLACReader.scan(source.file)
        let (length, soundRate) = (scan.samples, scan.format.rate)
        guard length > 0 else { throw source.refusal("has no complete sound frame") }
        let whole = Double(length) / Double(max(1, soundRate))
        let local = source.description?.startDate.flatMap(Instant.parsed).map {
            $0 + .seconds(source.description?.offsetSeconds ?? 0)
        }
        let skipped = try window?.offset(in: local ?? .epoch, span: whole, of: source.file.path) ?? 0
        let span = window?.seconds ?? whole
        var wave = Envelope(span: span, isCut: window != nil)
        var level = LevelColumns(span: span, columns: min(PlotPage.columns, max(1, Int(span / 0.125))))
        var done = 0
        let decoder = try FLACDecoder(source.file) { samples, format in
            let channels = max(1, format.channels)
            let full = Double(UInt64(1) << UInt64(max(1, format.bits) - 1))
            for (index, sample) in samples.enumerated() {
                let seconds = Double(done + index / channels) / Double(max(1, format.rate)) - skipped
                guard window == nil || (0..<span).contains(seconds) else { continue }
                let value = Double(sample) / full
                wave.add(value, at: seconds)
                level.add(value, at: seconds)
            }
            done += samples.count / channels
            progress(Double(done) / Double(length))
        }
        try decoder.run()
        let second = span / Double(PlotPage.columns)
        let calibration = source.description?.calibration
        return PlotPage(
            title: source.name,
            facts: [
                (window?.fact(of: whole)
                    ?? "\(PlotFacts.length(span)) of sound at \(soundRate) samples per second")
                    + (scan.isDamaged ? "; truncated or damaged" : "")
            ], start: (local ?? .epoch) + .nanoseconds(Int64(skipped * 1e9)), span: span,
            clockLabel: local == nil
                ? "time since the start of the file" : "local time, \(source.description?.offset ?? "")",
            hasDate: local != nil,
            panels: [
                PlotPanel(title: "wave", unit: "of full scale", envelope: wave, spacing: second),
                PlotPanel(
                    title: calibration == nil ? "level" : "sound pressure level, unweighted",
                    unit: calibration == nil ? "dBFS" : "dB",
                    envelope: level.envelope(calibration: calibration ?? 0), spacing: max(second, 0.125)),
            ], gaps: GapShade(span: span))
    }
}
