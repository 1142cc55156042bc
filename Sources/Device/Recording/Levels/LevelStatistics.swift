// SPDX-License-Identifier: Apache-2.0

/// How levels were distributed over a stretch of time: percentiles of the fast level, and the mean;
/// `LevelMeter` keeps it for the last line of a file. Pure.
///
/// A histogram in steps of a tenth of a decibel of LAF, taken ten times a second; nothing of
/// their order is kept.
package struct LevelStatistics: Sendable, Hashable {
    /// The level of the first of the steps, dB.
    private static let lowest = -150.0
    private static let steps = 3500
    private var counts: [UInt32] = []
    private var total = 0
    private var squares = 0.0
    private var maximum = -Double.infinity
    private var calibration = 0.0
    /// Whole seconds that went in.
    package private(set) var seconds = 0

    /// Adds a value of LAF, dB.
    mutating func add(_ fast: Double) {
        if counts.isEmpty { counts = [UInt32](repeating: 0, count: Self.steps) }
        let step = Int(((fast - Self.lowest) * 10).rounded())
        counts[max(0, min(Self.steps - 1, step))] += 1
        total += 1
    }

    /// Adds a whole second; `maximum`, its LAFmax, contains the calibration already, `meanSquare` does not.
    mutating func add(meanSquare: Double, maximum: Double, calibration: Double) {
        squares += meanSquare
        seconds += 1
        self.calibration = calibration
        self.maximum = max(self.maximum, maximum)
    }

    /// The A-weighted level that was exceeded for this percentage of the time (L10, L50, L90), dB;
    /// nil before the first second.
    package func exceeded(percent: Double) -> Double? {
        guard total > 0 else { return nil }
        var above = Double(total) * percent / 100
        for step in counts.indices.reversed() where counts[step] > 0 {
            above -= Double(counts[step])
            if above < 0 { return Self.lowest + Double(step) / 10 }
        }
        return Self.lowest + Double(counts.firstIndex { $0 > 0 } ?? 0) / 10
    }

    /// The equivalent A-weighted level of all seconds, by their energy mean, dB.
    package var equivalentA: Double? {
        guard seconds > 0 else { return nil }
        let square = max(squares / Double(seconds) * 2, 1e-20)
        return max(LevelMeter.floor, 10 * Trigonometry.logarithm10(square)) + calibration
    }

    /// The highest of the seconds' LAFmax, dB.
    package var maximumFastA: Double? { seconds > 0 ? maximum : nil }
}
