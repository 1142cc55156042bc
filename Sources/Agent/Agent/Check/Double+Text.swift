// SPDX-License-Identifier: Apache-2.0

extension Double {
    /// With this many digits after the point, rounded.
    func text(_ digits: Int) -> String {
        guard isFinite, abs(self) < 1e12 else { return "\(self)" }
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let whole = Int64((magnitude * factor).rounded())
        let sign = self < 0 && whole != 0 ? "-" : ""
        guard digits > 0 else { return sign + String(whole) }
        let tail = String(whole % Int64(factor))
        return sign + "\(whole / Int64(factor))." + String(repeating: "0", count: digits - tail.count) + tail
    }

    /// As `text`, with a plus where it is not negative.
    func signed(_ digits: Int) -> String { (self < 0 ? "" : "+") + text(digits) }
}
