// SPDX-License-Identifier: Apache-2.0

/// Shares for people: rounded, but less than all never reads as 100 %, and more than nothing never as 0 %.
enum Percent {
    static func text(_ part: some BinaryInteger, of whole: some BinaryInteger) -> String {
        guard whole > 0 else { return "–" }
        let share = Double(part) / Double(whole) * 100
        if share >= 99.5, part < whole { return "> 99 %" }
        if share < 0.5, part > 0 { return "< 1 %" }
        return "\(Int(min(share, 999).rounded())) %"
    }
}
