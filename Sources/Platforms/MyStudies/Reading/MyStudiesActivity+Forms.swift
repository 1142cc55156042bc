// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension MyStudiesActivity {
    /// What a form is made of, in the order of asking.
    private enum FormPart {
        case asked(Asked)
        case more(Step)

        var key: String {
            switch self {
            case .asked(let asked): asked.question.key
            case .more(let step): step.key
            }
        }
    }

    mutating func form(_ place: JSONPlace, key: String) -> [Step] {
        let questions = findings.objects(findings.array("steps", of: "questions", in: place), "a question")
        let isRepeatable = place.member("repeatable")?.isTrue ?? false
        let isHidden = visibility(place, key) != nil
        // The app has one button that leaves out the whole form.
        let isOptional = place.member("skippable")?.isTrue ?? false && !isHidden
        var parts: [FormPart] = []
        var ways: [Jump] = []
        for round in 1...(isRepeatable ? Self.maximumRounds : 1) {
            let again =
                round == 1 ? nil : Chosen(question: MyStudiesKeys.more(of: key, after: round - 1), value: "true")
            let noted = findings
            var keys: Set<String> = []
            for member in questions {
                guard let own = self.key(of: member) else { continue }
                if !keys.insert(own).inserted {
                    findings.expected("a unique key", at: member, found: "\"\(own)\" again")
                }
                let name = MyStudiesKeys.question(own, of: key, round: round)
                let visible = formVisibility(member, in: place, key: key, round: round, again: again)
                guard
                    let asked = asked(
                        member, key: name, visibleWhen: visible, isHidden: Self.isHidden(member),
                        isOptional: isOptional)
                else { continue }
                if round == 1 { ways += preloads(own, answeredAs: name, asked.question.format, member) }
                parts.append(.asked(asked))
            }
            // The same questions: what is to be said of them has been.
            if round > 1 { findings = noted }
            if isRepeatable, round < Self.maximumRounds {
                parts.append(.more(more(place, key, after: round, again)))
            }
        }
        if isRepeatable {
            findings.assume("at most \(Self.maximumRounds) rounds of this form are asked for", at: place)
        }
        return steps(of: parts, leadingBy: ways + jumps(place, .instruction, key: key), isHidden: isHidden)
    }

    private func more(_ place: JSONPlace, _ key: String, after round: Int, _ again: (any Condition)?) -> Step {
        let text = place.member("repeatableText")?.text ?? ""
        return Step(
            key: MyStudiesKeys.more(of: key, after: round), text: text.isEmpty ? words(StudyPhrases.addMore) : text,
            format: .yesNo(yes: words(StudyPhrases.yes), no: words(StudyPhrases.no)), visibleWhen: again,
            path: place.path)
    }

    /// Where a form leads to is decided at its last question, and wherever no more is wanted. The
    /// parts of a hidden form lead to each other, since none of them stands in the order.
    private func steps(of parts: [FormPart], leadingBy jumps: [Jump], isHidden: Bool) -> [Step] {
        parts.enumerated().flatMap { index, part -> [Step] in
            let next = index + 1 < parts.count ? parts[index + 1].key : nil
            let onward = isHidden ? next.map { [Jump(when: Always(), to: .step($0))] } ?? [] : []
            switch part {
            case .asked(var asked):
                if isHidden { asked.question.visibleWhen = NeverShown() }
                return asked.steps(leadingBy: next == nil ? jumps : onward)
            case .more(var step):
                if isHidden { step.visibleWhen = NeverShown() }
                step.jumps =
                    onward.map { $0.also(Chosen(question: step.key, value: "true")) }
                    + jumps.map { $0.also(NoneChosen(question: step.key, values: ["true"])) }
                return [step]
            }
        }
    }
}
