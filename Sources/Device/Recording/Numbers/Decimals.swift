// SPDX-License-Identifier: Apache-2.0
import Base

/// Numbers as text of fixed decimals, without Foundation.
package enum Decimals {
    /// Decimals that show a tenth of a step, 0...9.
    package static func needed(step: Double) -> Int {
        guard step > 0, step.isFinite else { return 6 }
        return max(0, min(9, Int((1 - Trigonometry.logarithm10(step)).rounded(.up))))
    }

    /// The number with this many decimals; empty where it is not finite or too large for 64 bits.
    package static func text(_ value: Double, _ decimals: Int) -> String {
        let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        let scaled = (value * factor).rounded()
        guard abs(scaled) < 9e18 else { return "" }
        let whole = Int64(scaled)
        guard decimals > 0 else { return "\(whole)" }
        let unit = Int64(factor)
        let sign = whole < 0 ? "-" : ""
        return "\(sign)\(abs(whole) / unit).\((abs(whole) % unit).padded(decimals))"
    }
}
