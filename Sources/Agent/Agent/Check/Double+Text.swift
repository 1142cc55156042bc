// SPDX-License-Identifier: Apache-2.0
import Device

/// Numbers in words for people: `studyd check`, status and faults.
extension Double {
    /// With this many digits after the point, rounded.
    func text(_ digits: Int) -> String {
        isFinite && abs(self) < 1e12 ? Decimals.text(self, digits) : "\(self)"
    }

    /// As `text`, with a plus where it is not negative.
    func signed(_ digits: Int) -> String { (self < 0 ? "" : "+") + text(digits) }
}
