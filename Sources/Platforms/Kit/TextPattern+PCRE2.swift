// SPDX-License-Identifier: Apache-2.0
import Study
import SystemKit

extension TextPattern {
    /// A pattern for texts that are entered, as a study of FDA MyStudies or Sage has it; matched by libpcre2.
    /// With `onlyOnce` a text that has more than one match does not fit. Throws where it cannot be read, with
    /// the position.
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
