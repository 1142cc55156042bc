// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A question's branching in momenTUM's app: a question of any type decides by what it is answered with, and
/// what hides a question hides those that depend on it (momenTUM-app e14a806, `survey.page.ts`,
/// `toggleDynamicQuestions` and `hideQuestion`). The question is shown while this holds. `SchemaBranchReader`
/// makes it.
struct MomentumBranch: Condition, Hashable {
    struct Link: Sendable, Hashable {
        /// The question that decides, and how it is answered.
        let key: String
        let format: AnswerFormat
        /// The position of that question in the file; from `opened` on, in the order of this run.
        var index: Int
        /// When the dependent question is shown; nil = whatever the answer is.
        let rule: SchemaBranch.Rule?
    }

    /// The question's own rule, then that of the question it names, and so on.
    let links: [Link]

    /// None, so that the condition is kept where it looks at a question that was not drawn: here that one
    /// decides as well, by having no answer.
    var questionKeys: [String] { [] }

    /// All links up to one must hold. The app applies the rules from a question down when that is answered, so that
    /// one is the outermost answered question. When a task is opened, the app does so from each question in turn:
    /// without an answer it is the one that comes last.
    func holds(_ facts: StudyFacts) -> Bool {
        let answered = links.lastIndex { facts.answers[$0.key] != nil && !facts.presets.contains($0.key) }
        let outermost = answered ?? links.indices.max { links[$0].index < links[$1].index } ?? 0
        return links.prefix(outermost + 1).allSatisfy { holds($0, facts) }
    }

    /// The app goes through the questions as they were shuffled, and deletes the rule of a question that was not
    /// drawn (`delete question.hide_id`), which ends the chain there.
    func opened(places: [String: Int], undrawn: Set<String>) -> any Condition {
        let count = links.firstIndex { undrawn.contains($0.key) }.map { $0 + 1 } ?? links.count
        return MomentumBranch(
            links: links.prefix(count).map { link in
                var link = link
                link.index = places[link.key] ?? link.index
                return link
            })
    }

    private func holds(_ link: Link, _ facts: StudyFacts) -> Bool {
        guard case .equal(let value, let hides)? = link.rule else { return true }
        // A question that was drawn and not answered has the number 1, whatever its kind. The zone matters for dates
        // only, and a date never equals the text of a rule.
        let answer: JSONText =
            facts.presets.contains(link.key)
            ? .number(1) : SchemaAnswer(facts.answers[link.key], to: link.format, in: .utc, isMomentum: true).json
        return (answer == value) != hides
    }
}
