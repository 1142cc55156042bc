// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A question's branching in momenTUM's app: a question of any type decides by what it is answered
/// with, and what hides a question hides those that depend on it (momenTUM-app e14a806,
/// `survey.page.ts`, `toggleDynamicQuestions` and `hideQuestion`).
struct MomentumBranch: Condition, Hashable {
    struct Link: Sendable, Hashable {
        /// The question that decides, and how it is answered.
        let key: String
        let format: AnswerFormat
        /// Its place in the file, or in the order of an opening.
        var place: Int
        /// Nil: whatever is answered.
        let rule: SchemaBranch.Rule?
    }

    /// The question's own rule, then that of the question it names, and so on.
    let links: [Link]

    /// None: here a question that was not drawn decides as well, by having no answer.
    var questionKeys: [String] { [] }

    /// The app goes down from a question when that is answered, so the outermost one that was decides. When
    /// the task is opened it goes down from each in turn, and the last one stays.
    func holds(_ facts: StudyFacts) -> Bool {
        let answered = links.lastIndex { facts.answers[$0.key] != nil && !facts.presets.contains($0.key) }
        let first = answered ?? links.indices.max { links[$0].place < links[$1].place } ?? 0
        return links.prefix(first + 1).allSatisfy { holds($0, facts) }
    }

    /// The app goes through the questions as they were shuffled, and takes the rule of one that was not
    /// drawn away (`delete question.hide_id`).
    func opened(order: [String], undrawn: Set<String>) -> any Condition {
        let count = links.firstIndex { undrawn.contains($0.key) }.map { $0 + 1 } ?? links.count
        return MomentumBranch(
            links: links.prefix(count).map { link in
                var link = link
                link.place = order.firstIndex(of: link.key) ?? link.place
                return link
            })
    }

    private func holds(_ link: Link, _ facts: StudyFacts) -> Bool {
        guard case .equal(let value, let hides)? = link.rule else { return true }
        // One that was drawn and not answered has the number 1, whatever its kind. The zone matters for dates only,
        // and those equal no text of a rule.
        let answer: JSONText =
            facts.presets.contains(link.key)
            ? .number(1) : SchemaAnswer(facts.answers[link.key], to: link.format, in: .utc, isMomentum: true).json
        return (answer == value) != hides
    }
}
