// SPDX-License-Identifier: Apache-2.0

/// What `TaskRun` says of the steps of one opening, and of their answers. Pure.
struct RunTexts: Sendable {
    let words: Words
    private let opened: OpenedTask
    private let cards: CardIndex
    /// As in the file, by their keys.
    private let steps: [String: Step]

    init(_ opened: OpenedTask, cards: CardIndex, words: Words) {
        (self.opened, self.cards, self.words) = (opened, cards, words)
        steps = opened.task.stepsByKey
    }

    /// The step's card number; 0 where it has no card.
    func number(of step: Step) -> Int { cards.number(task: opened.task.key, step: step.key) ?? 0 }

    func cue(for step: Step, _ facts: StudyFacts) -> Cue {
        guard let varied = piped(step, facts) else { return .card(number(of: step), text: step.text) }
        return .card(number(of: step), text: varied.text, parts: varied.parts)
    }

    /// In the words of the file, or with an earlier answer in them.
    func text(of step: Step, _ facts: StudyFacts) -> String { piped(step, facts)?.text ?? step.text }

    /// The step's text where it depends on answers; nil where it is always as in the file.
    private func piped(_ step: Step, _ facts: StudyFacts) -> (text: String, parts: [Said])? {
        if let text = step.computedText?.text(facts) { return (text, [.study(text)]) }
        return step.piping.map { piping in
            let format = cards.format(of: piping, in: opened.task)
            return PipedText(step.text, snippet: piping.snippet).filled(
                with: PipedText.Answer(piping.answer(in: facts), to: format, in: words))
        }
    }

    /// The format with its options as on the card, and the order in which this opening presents them (indices
    /// into the card's options); nil = in the card's order.
    func cardFormat(_ step: Step) -> (format: AnswerFormat, order: [Int]?) {
        let original = steps[step.key]?.format
        guard case .choice(let card) = original, case .choice(let shuffled) = step.format,
            card.options != shuffled.options
        else { return (step.format, nil) }
        var left = Array(card.options.enumerated())
        let order = shuffled.options.compactMap { option in
            left.firstIndex { $0.element == option }.map { left.remove(at: $0).offset }
        }
        return order.count == card.options.count ? (.choice(card), order) : (step.format, nil)
    }

    /// The steps of these keys that are questions, each once; without instructions and media.
    func asked(_ keys: [String]) -> [Step] {
        var seen: Set<String> = []
        return keys.filter { seen.insert($0).inserted }.compactMap { steps[$0] }.filter(\.format.isQuestion)
    }

    /// What is said to read the answers back, each after its card number where there are several. Of more than
    /// `RunLimits.mostSaidBack` only the last is read back.
    func saidBack(_ asked: [Step], _ answers: Answers) -> [Cue] {
        let read = asked.count > RunLimits.mostSaidBack ? Array(asked.suffix(1)) : asked
        return read.flatMap { step -> [Cue] in
            let answer = answers[step.key].map { step.format.kind.saidBack($0) } ?? [.leaveOut]
            guard asked.count > 1, !answer.isEmpty else { return answer }
            return [.card(number(of: step), text: "", parts: [])] + answer
        }
    }
}
