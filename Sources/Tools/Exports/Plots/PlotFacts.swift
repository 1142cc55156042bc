// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// The lines below the title of a `PlotPage`.
package enum PlotFacts {
    /// `1 h 02 min 03 s`.
    package static func length(_ seconds: Double) -> String {
        let whole = Int(max(0, min(1e12, seconds)).rounded())
        if whole < 60 { return "\(Decimals.text(max(0, seconds), 1)) s" }
        if whole < 3600 { return "\(whole / 60) min \((whole % 60).padded(2)) s" }
        return "\(whole / 3600) h \((whole / 60 % 60).padded(2)) min \((whole % 60).padded(2)) s"
    }

    /// `12.60 per second (nominally 12.50)`; nil = it was not measured.
    static func rate(_ measured: Double?, nominal: Double) -> String {
        let (text, asked) = (Decimals.text(measured ?? nominal, 2), Decimals.text(nominal, 2))
        return "\(text) per second" + (text == asked ? "" : " (nominally \(asked))")
    }

    /// `2 gaps of 3.4 s together; 340 samples lost (coverage 94.1 %)`: what a description counts as
    /// lost before the first sample or after the last one shows no gap, and is said all the same.
    package static func gaps(_ gaps: GapShade, _ description: RecordingDescription?) -> String {
        let lost = description?.totalLost ?? 0
        let between =
            switch gaps.count {
            case 0: lost > 0 ? "no gap between its samples" : "no gaps"
            case 1: "1 gap of \(length(gaps.seconds))"
            default: "\(gaps.count) gaps of \(length(gaps.seconds)) together"
            }
        guard let description, lost > 0 else { return between }
        let share = Double(description.samplesStored) / Double(description.samplesStored + lost)
        return "\(between); \(lost) \(description.countedUnit) lost (coverage \(Decimals.text(share * 100, 1)) %)"
    }
}
