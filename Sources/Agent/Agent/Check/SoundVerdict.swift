// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Judges the two seconds of sound that `MicrophoneProbe` records: its level, and whether it clips or is
/// silent. Pure.
struct SoundVerdict: Sendable {
    /// No microphone has noise below this many dBFS: it is not connected, or its slot is the other
    /// one.
    private static let leastNoise = -100.0
    private var meter: LevelMeter
    /// dB SPL of a sound at 0 dBFS.
    private let calibration: Double
    private let rate: Int
    /// The corner in Hz of the filter that was asked for; nil = none.
    private let highPass: Double?
    /// The levels of the first whole second; nil before its end.
    private var levels: SoundLevels?
    private var samples = 0
    private var first: Int16?
    private var isConstant = true
    /// The capture's last fault, set by `MicrophoneProbe` after the last block.
    var fault: PCMError?

    init(rate: Int, calibration: Double, highPass: Double? = nil) {
        meter = LevelMeter(rate: Double(rate))
        (self.calibration, self.rate, self.highPass) = (calibration, rate, highPass)
    }

    mutating func add(_ block: SoundFrame) {
        let values = block.samples.span
        for index in 0..<Int(block.count) {
            let sample = values[index]
            if first == nil { first = sample }
            isConstant = isConstant && sample == first
            if let full = meter.add(sample) { levels = levels ?? full }
        }
        samples += Int(block.count)
    }

    /// The verdict; levels in dB SPL where the board file has a calibration, else in dBFS.
    func finding(_ subject: CheckSubject, isCalibrated: Bool) -> CheckFinding {
        if let fault, samples == 0 {
            return CheckFinding(subject, failure: fault, remedy: "check the card's plug and overlay")
        }
        guard samples > 0 else {
            return CheckFinding(
                subject, .failed, "the card delivers no sound",
                remedy:
                    "an I2S card without a clock does this: check BCLK, LRCLK and the overlay; otherwise unplug it and plug it in again"
            )
        }
        guard let levels else {
            return CheckFinding(
                subject, .warning, "only \(samples) samples received, too few for a level",
                remedy: "the card drops samples: see `dmesg`, and check whether another program uses it")
        }
        return judge(subject, levels, isCalibrated)
    }

    /// What the recordings lack. Mains hum is 50 or 60 Hz and its multiples.
    private var filter: String {
        guard let highPass else { return "" }
        let hum = highPass > 60 ? ", mains hum with it" : ""
        return ", high_pass takes out what is below \(highPass.text(0)) Hz\(hum)"
    }

    private func judge(_ subject: CheckSubject, _ levels: SoundLevels, _ isCalibrated: Bool) -> CheckFinding {
        let level = "\(levels.equivalentZ.text(1)) dBFS"
        let detail =
            (isCalibrated
                ? "level \((levels.equivalentA + calibration).text(1)) dBA SPL (\(level))"
                : "level \(level), not calibrated") + filter
        if isConstant || levels.equivalentZ < Self.leastNoise {
            return CheckFinding(
                subject, .warning,
                (isConstant ? "every sample is \(first ?? 0)" : detail) + ": completely silent, as no real room is",
                remedy:
                    "check its supply and data wire, `channel` in the board file (left or right slot), and `alsamixer`")
        }
        // One sample in a thousand.
        guard levels.clipped * 1000 <= rate else {
            return CheckFinding(
                subject, .warning, detail + ", \(levels.clipped) samples clipped in a second",
                remedy: "test again somewhere quiet; if it persists, lower the card's gain (`alsamixer`)")
        }
        return CheckFinding(subject, .ok, detail)
    }
}
