// SPDX-License-Identifier: Apache-2.0
import Base

/// A number as Kotlin's `toString` spells it, where it needs no exponent: with a digit after the point.
/// `ESMiraInput` sends measured values so.
enum KotlinNumber {
    static func text(_ value: Double) -> String {
        let text = JSONText.spelling(of: value)
        return text.contains(".") || text.contains("e") ? text : text + ".0"
    }
}
