// SPDX-License-Identifier: Apache-2.0

/// The window of Kaiser (1974), by which `Decimator` and `ThirdOctaveBank` design their filters.
package enum KaiserWindow {
    /// Its weight at a place of -1...1, up to a factor that is the same everywhere: the designer of
    /// a filter scales the whole.
    package static func weight(beta: Double, at place: Double) -> Double {
        bessel(beta * (1 - place * place).squareRoot())
    }

    /// The modified Bessel function of order 0.
    private static func bessel(_ x: Double) -> Double {
        var (term, sum, k) = (1.0, 1.0, 1.0)
        while term > sum * 1e-17 {
            term *= (x / (2 * k)) * (x / (2 * k))
            sum += term
            k += 1
        }
        return sum
    }
}
