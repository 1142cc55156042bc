// SPDX-License-Identifier: Apache-2.0
import Lab

/// The Response server's rule for enrolment tokens: letters with weighted codes that sum to a multiple of 26.
/// `MyStudiesStudy` warns of others in `tokens.txt`; `--make-tokens` prints new ones.
enum MyStudiesToken {
    /// Luhn's check in base 26, the check letter being the last: every second letter from it counts
    /// twice, and a product is the sum of its digits in that base.
    static func isValid(_ token: String) -> Bool {
        var total = 0
        var isDoubled = false
        for letter in token.unicodeScalars.reversed() {
            guard ("A"..."Z").contains(letter) else { return false }
            let code = Int(letter.value) - 65
            let weighted = isDoubled ? 2 * code : code
            total += weighted / 26 + weighted % 26
            isDoubled.toggle()
        }
        return !token.isEmpty && total.isMultiple(of: 26)
    }

    /// A token of eight letters and their check letter.
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let body = String((0..<8).map { _ in letters[Int.random(in: 0..<26, using: &generator)] })
        // One of the letters always fits.
        return letters.lazy.map { body + String($0) }.first(where: isValid) ?? body
    }
}
