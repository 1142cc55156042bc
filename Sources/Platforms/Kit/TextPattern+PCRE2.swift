// SPDX-License-Identifier: Apache-2.0
import Study
import SystemKit

extension TextPattern {
    /// A pattern as a study has it, matched by libpcre2; `onlyOnce`: found once in a text and not again.
    /// Throws where it cannot be read, with the position.
    package init(reading source: String, onlyOnce: Bool = false) throws(RegularExpressionError) {
        let expression = try RegularExpression(source)
        self.init(source) { text in
            switch expression.match(text, onlyOnce: onlyOnce) {
            case .found: .found
            case .missing: .missing
            case .exhausted: .exhausted
            }
        }
    }
}
