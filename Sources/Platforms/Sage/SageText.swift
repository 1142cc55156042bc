// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Texts of steps as they are presented, for the readers of steps and questions.
enum SageText {
    /// Every text of a step, one after the other, as people read it.
    static func all(of place: JSONPlace, hand: String? = nil) -> String {
        let parts = ["title", "subtitle", "text", "detail", "footnote", "prompt", "promptDetail"].compactMap {
            place.member($0)?.text
        }.filter { !$0.isEmpty }
        return join(parts.map { fill($0, hand) })
    }

    static func join(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.reduce("") { text, part in
            guard let last = text.last else { return part }
            return text + (last.isPunctuation ? " " : ". ") + part
        }
    }

    /// Puts the hand in place of `%@`, in capitals where the text after it is in capitals.
    static func fill(_ text: String, _ hand: String?) -> String {
        guard let hand, let first = text.firstRange(of: "%@") else { return text }
        let behind = text[first.upperBound...].drop { $0 == " " }.prefix(2)
        let isLoud = behind.count == 2 && behind.allSatisfy(\.isUppercase)
        let filled = text.replacing("%@", with: isLoud ? hand.uppercased() : hand, maxReplacements: 1)
        return fill(filled, hand)
    }
}
