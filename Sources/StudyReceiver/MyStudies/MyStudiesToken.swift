// SPDX-License-Identifier: Apache-2.0

/// The Response server's rule for enrolment tokens: letters whose weighted codes sum to a multiple of 26.
enum MyStudiesToken {
    /// Luhn's check in base 26, the check letter being the last: every second letter from it counts twice, and a product is the
    /// sum of its digits in that base.
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
}
