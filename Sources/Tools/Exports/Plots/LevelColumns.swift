// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The power of a wave per column of `SoundPlot`, of an eighth of a second at least: shorter ones show the wave
/// and not its level.
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

    /// 0 dBFS is a sine of full scale, as in level files: its effective value is 1/√2 of its peak.
    private static let sine = 10 * log10(2.0)

    /// The effective value in dB re a sine of full scale, plus the calibration; silence at the
    /// least that 16 bits can say.
    func envelope(calibration: Double = 0) -> Envelope {
        var envelope = Envelope(span: span)
        for column in power.indices where count[column] > 0 {
            let level = max(-96.3, 10 * log10(max(1e-30, power[column] / Double(count[column]))) + Self.sine)
            envelope.add(level + calibration, at: (Double(column) + 0.5) / Double(power.count) * span)
        }
        return envelope
    }
}
