// SPDX-License-Identifier: Apache-2.0

/// One opening of a task: everything that is drawn each time it is opened. The same task, opening and enrolment
/// (`chance`) give the same draws, so it is made again after a restart. `StudyConductor` makes it, and
/// `TaskRun` presents it.
package struct OpenedTask: Sendable {
    /// The task as the file has it; card numbers follow its order.
    package let task: StudyTask
    /// From 1, counted per task.
    package let opening: Int
    /// Sections, steps and options in the order of this opening.
    package let sections: [Section]
    /// Keys of all steps in the order of this opening, hidden ones too.
    package let order: [String]
    /// Keys of steps drawn from their group (`Step.drawGroup`): conditions read them as answered with 1 until
    /// they are answered.
    package let presets: Set<String>
    /// Keys of steps not drawn from their group: never shown, and conditions on them are dropped.
    package let hiddenForGood: Set<String>
    /// What was drawn, for the event log.
    package let draws: [ChanceDraw]
    /// For what an active task of this opening draws; its record holds what was drawn.
    package let generator: SplitMix64

    package init(_ task: StudyTask, opening: Int, chance: Chance) {
        var drawing = Drawing(label: "module \(task.key)/opening \(opening)", chance: chance)
        (self.task, self.opening) = (task, opening)
        generator = chance.generator(for: "module \(task.key)/opening \(opening)/performance")
        let (drawn, rest) = drawing.drawGroups(of: task.content.steps)
        let shuffled = drawing.shuffleSections(of: task.content)
        let order = shuffled.flatMap { $0.steps.map(\.key) }
        let places = Dictionary(zip(order, order.indices)) { first, _ in first }
        sections = shuffled.map { section in
            section.with(steps: section.steps.map { $0.opened(places: places, hiddenForGood: rest) })
        }
        self.order = order
        presets = drawn
        hiddenForGood = rest
        draws = drawing.draws
    }
}

/// Makes the draws of one opening, each from a separate generator, and records them in `draws`.
private struct Drawing {
    /// Begins the name of every draw. The names are part of the seeds (`Chance.generator`), so they never change.
    let label: String
    let chance: Chance
    var draws: [ChanceDraw] = []

    /// Draws one step of each group: the keys that were drawn, and those that were not.
    mutating func drawGroups(of steps: [Step]) -> (drawn: Set<String>, rest: Set<String>) {
        var names: [String] = []
        var groups: [String: [String]] = [:]
        for step in steps {
            guard let name = step.drawGroup else { continue }
            if groups[name] == nil { names.append(name) }
            groups[name, default: []].append(step.key)
        }
        var drawn: Set<String> = []
        for name in names {
            let members = groups[name, default: []]
            var generator = chance.generator(for: "\(label)/group \(name)")
            let winner = members[generator.below(members.count)]
            drawn.insert(winner)
            record("group \(name)", [winner], 1 / Double(members.count))
        }
        return (drawn, Set(steps.filter { $0.drawGroup != nil }.map(\.key)).subtracting(drawn))
    }

    mutating func shuffleSections(of questionnaire: Questionnaire) -> [Section] {
        let numbered = Array(questionnaire.sections.enumerated())
        let sections = questionnaire.shufflesSections ? shuffle(numbered, "sections") { String($0.offset) } : numbered
        return sections.map { index, section in
            let steps = section.shufflesSteps ? shuffleSteps(section.steps, "section \(index)") : section.steps
            return section.with(steps: steps.map { shuffleOptions(of: $0) })
        }
    }

    /// Shuffled, except for what is fixed at either end; a step that belongs behind another one moves
    /// with it.
    private mutating func shuffleSteps(_ steps: [Step], _ what: String) -> [Step] {
        let head = steps.prefix { $0.inShuffle == .fixed }
        let rest = steps.dropFirst(head.count)
        let foot = rest.suffix(rest.reversed().prefix { $0.inShuffle == .fixed }.count)
        var units: [[Step]] = []
        for step in rest.dropLast(foot.count) {
            if step.inShuffle == .behind, let last = units.indices.last {
                units[last].append(step)
            } else {
                units.append([step])
            }
        }
        let mixed: [[Step]] = shuffle(units, what) { $0.first?.key ?? "" }
        return Array(head) + Array(mixed.joined()) + Array(foot)
    }

    private mutating func shuffleOptions(of step: Step) -> Step {
        guard case .choice(let choice) = step.format, choice.isShuffled else { return step }
        let options = shuffle(choice.options, "options \(step.key)", \.value)
        return step.with(
            format: .choice(
                ChoiceFormat(
                    options: options, isMultiple: choice.isMultiple, isShuffled: true, isModal: choice.isModal,
                    initial: choice.initial)))
    }

    private mutating func shuffle<Element>(
        _ elements: [Element], _ what: String, _ name: (Element) -> String
    ) -> [Element] {
        var generator = chance.generator(for: "\(label)/\(what)")
        let result = generator.shuffled(elements)
        // One of the n! orders.
        record(what, result.map(name), 1 / elements.indices.reduce(1.0) { $0 * Double($1 + 1) })
        return result
    }

    private mutating func record(_ what: String, _ result: [String], _ probability: Double) {
        draws.append(
            ChanceDraw(what: "\(label)/\(what)", result: result.joined(separator: ","), probability: probability))
    }
}

extension Step {
    fileprivate func with(format: AnswerFormat) -> Step {
        var step = self
        step.format = format
        return step
    }

    /// Drops the step's condition where it looks at a step that is hidden for good.
    fileprivate func opened(places: [String: Int], hiddenForGood: Set<String>) -> Step {
        guard let rule = visibleWhen else { return self }
        var step = self
        let isDropped = !hiddenForGood.isDisjoint(with: rule.questionKeys)
        step.visibleWhen = isDropped ? nil : rule.opened(places: places, undrawn: hiddenForGood)
        return step
    }
}
