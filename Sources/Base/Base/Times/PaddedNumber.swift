// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
    /// The digits with zeros before them, at least `width` in all; a sign comes before the zeros
    /// and does not count. `radix` 16 in lower case.
    package func padded(_ width: Int, radix: Int = 10) -> String {
        let digits = String(magnitude, radix: radix)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
