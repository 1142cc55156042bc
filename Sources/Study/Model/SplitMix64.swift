// SPDX-License-Identifier: Apache-2.0
import Base

/// Steele, Lea and Flood's SplitMix64: small, fast, the same on every platform and in every version. Every draw
/// of an enrolment comes from one (`Chance.generator`).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Uniform over all 64 bits; every seed comes round after 2⁶⁴ numbers.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A whole number in 0 ..< bound, evenly, by rejection; does not depend on the standard
    /// library's method.
    package mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "a draw needs at least one outcome")
        let bound = UInt64(bound)
        let limit = UInt64.max - UInt64.max % bound
        var value = next()
        while value >= limit { value = next() }
        return Int(value % bound)
    }

    /// From 0 to below 1, evenly, in steps of 2⁻⁵³.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// From `least` to `most`, evenly.
    mutating func duration(from least: Duration, to most: Duration) -> Duration {
        least + .nanoseconds(Int64(unit() * Double((most - least).nanoseconds)))
    }

    /// Fisher and Yates' shuffle, last to first.
    package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var elements = elements
        for last in stride(from: elements.count - 1, to: 0, by: -1) { elements.swapAt(last, below(last + 1)) }
        return elements
    }
}
