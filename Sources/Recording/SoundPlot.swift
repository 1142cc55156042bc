// SPDX-License-Identifier: Apache-2.0
import Glibc
import Times

/// The picture of a FLAC file: the wave and its level over time. The file is decoded twice, first for its length.
public enum SoundPlot {
    /// Reads the whole file; `progress` gets the share that is done.
    public static func page(
        _ source: RecordedFile, progress: @escaping (Double) -> Void
    ) throws(RecordingError) -> PlotPage {
        let (sound, frames) = try FLACReader.scan(source.file)
        guard frames > 0 else { throw .format(path: source.file.path, problem: "holds no whole frame of sound") }
        let span = Double(frames) / Double(max(1, sound.rate))
        var wave = Envelope(span: span)
        var level = LevelColumns(span: span, columns: min(PlotPage.columns, max(1, Int(span / 0.125))))
        var done = 0
        let decoder = try FLACDecoder(source.file, limit: .max, keepsSamples: false) { samples, rate, channels in
            for (index, sample) in samples.enumerated() {
                let seconds = Double(done + index / max(1, channels)) / Double(max(1, rate))
                let value = Double(sample) / 32_768
                wave.add(value, at: seconds)
                level.add(value, at: seconds)
            }
            done += samples.count / max(1, channels)
            progress(Double(done) / Double(frames))
        }
        _ = try decoder.run()
        let local = source.description?.startDate.flatMap(TimeText.instant).map {
            $0 + .seconds(source.description?.offsetSeconds ?? 0)
        }
        let second = span / Double(PlotPage.columns)
        return PlotPage(
            title: source.name,
            facts: [
                "\(PlotFacts.length(span)) of sound at \(sound.rate) samples per second"
                    + (sound.isDamaged ? "; cut or damaged" : "")
            ], start: local ?? Instant.epoch, span: span,
            clockLabel: local == nil
                ? "time since the start of the file" : "local time, \(source.description?.offset ?? "")",
            hasDate: local != nil,
            panels: [
                PlotPanel(title: "wave", unit: "of full scale", envelope: wave, spacing: second),
                PlotPanel(title: "level", unit: "dBFS", envelope: level.envelope, spacing: max(second, 0.125)),
            ], gaps: GapShade(span: span))
    }
}

/// The power of a wave per column, of an eighth of a second at least: shorter ones show the wave and not its level.
struct LevelColumns {
    private let span: Double
    private var power: [Double]
    private var count: [Int]

    init(span: Double, columns: Int) {
        self.span = span
        power = [Double](repeating: 0, count: columns)
        count = [Int](repeating: 0, count: columns)
    }

    mutating func add(_ value: Double, at seconds: Double) {
        let column = Envelope.column(seconds, span, power.count)
        power[column] += value * value
        count[column] += 1
    }

    /// The effective value in dB re full scale, silence at the least that 16 bits can say.
    var envelope: Envelope {
        var envelope = Envelope(span: span)
        for column in power.indices where count[column] > 0 {
            let level = max(-96.3, 10 * log10(max(1e-30, power[column] / Double(count[column]))))
            envelope.add(level, at: (Double(column) + 0.5) / Double(power.count) * span)
        }
        return envelope
    }
}
