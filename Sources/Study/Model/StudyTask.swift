// SPDX-License-Identifier: Apache-2.0

/// One thing a participant is asked to do: a schema module, an ESMira questionnaire, a
/// MyStudies activity.
package struct StudyTask: Sendable {
    /// Unique in the study and stable over restarts: the platform's own id, else made
    /// from the position.
    package let key: String
    /// Zero-based position in the file; `module_index` on schema's wire.
    package let index: Int
    /// Sent with results: the name as the file gives it, or the task's version where a platform wants that.
    package let wireName: String
    /// The name as plain text, spoken and printed.
    package let name: String
    package let prompt: PromptText
    /// The arm this task belongs to; nil = every participant's, whatever the arm.
    package let condition: String?
    package let schedule: any Schedule
    /// Whether it can be opened now; checked again whenever a fact changes.
    package let unlocked: any Condition
    /// True for a task that stays in the list for ever and may be answered again and again.
    package let isSticky: Bool
    /// The heading of sticky tasks in the list; empty where there is none.
    package let listLabel: String
    package private(set) var content: Questionnaire
    /// How its answers are shown back; nil where they are not.
    package let graph: GraphDescription?
    /// What is recorded in the background while it is done.
    package let recorders: [TaskRecorder]
    /// What follows by itself when a run of it is submitted; nil = nothing.
    package var ending: (any RunEnding)?
    /// When it can be opened, besides its schedule and `unlocked`; nil = whenever those say so.
    package var opening: OpeningRules?
    package var purpose = Purpose.study
    /// It is beside what the study asks: a simulated participant never begins it, and a board that
    /// cannot ask it goes without.
    package var isAside: Bool { purpose != .study }

    /// What a task is for.
    package enum Purpose: Sendable, Hashable {
        /// It is part of what the study asks.
        case study
        /// What is written in it goes to those who run the study, as a message.
        case message
        /// What is answered in it changes how the study runs for the participant.
        case settings
    }

    package init(
        key: String, index: Int, wireName: String, name: String, prompt: PromptText, condition: String?,
        schedule: any Schedule, unlocked: any Condition = Always(), isSticky: Bool = false, listLabel: String = "",
        content: Questionnaire, graph: GraphDescription? = nil, recorders: [TaskRecorder] = []
    ) {
        self.key = key
        self.index = index
        self.wireName = wireName
        self.name = name
        self.prompt = prompt
        self.condition = condition
        self.schedule = schedule
        self.unlocked = unlocked
        self.isSticky = isSticky
        self.listLabel = listLabel
        self.content = content
        self.graph = graph
        self.recorders = recorders
    }
}

extension StudyTask {
    // Parts of `opening`, with their defaults where it is nil.
    package var rest: Duration? { opening?.rest }
    package var hours: OpenHours? { opening?.hours }
    package var aliveWhile: any Condition { opening?.aliveWhile ?? Always() }

    /// Its steps by their keys; made at each call.
    var stepsByKey: [String: Step] { Dictionary(content.steps.map { ($0.key, $0) }) { first, _ in first } }

    package func leavingOut(_ isLeftOut: (Step) -> Bool) -> StudyTask {
        guard content.steps.contains(where: isLeftOut) else { return self }
        var task = self
        let sections = content.sections.map { section in
            section.with(steps: section.steps.filter { !isLeftOut($0) })
        }
        task.content = Questionnaire(
            sections: sections, shufflesSections: content.shufflesSections, submitText: content.submitText)
        return task
    }
}

/// What a prompt says, as plain text.
package struct PromptText: Sendable, Hashable {
    /// Heading of the prompt; empty where the platform gives none.
    package let title: String
    /// What is said after the heading; may be empty.
    package let message: String

    package init(title: String, message: String) {
        self.title = title
        self.message = message
    }
}

/// The steps of a task, in sections; an active task is one of them (`AnswerFormat.active`). A run
/// may present them in another order (`OpenedTask`).
package struct Questionnaire: Sendable {
    /// Sections in the order of the file.
    package let sections: [Section]
    /// Sections are shuffled at each opening.
    package let shufflesSections: Bool
    /// The platform's label of the last button.
    package let submitText: String

    package init(sections: [Section], shufflesSections: Bool, submitText: String) {
        self.sections = sections
        self.shufflesSections = shufflesSections
        self.submitText = submitText
    }

    /// One section without a heading, in the order of the file.
    package init(_ steps: [Step], submitText: String = "") {
        self.init(
            sections: [Section(name: "", steps: steps, shufflesSteps: false)], shufflesSections: false,
            submitText: submitText)
    }

    /// Every step of every section, in the order of the file.
    package var steps: [Step] { sections.flatMap(\.steps) }
}

package struct Section: Sendable {
    /// The page's heading; may be empty. Not unique.
    package let name: String
    /// In the order of the file, which `shufflesSteps` overrules at each opening.
    package private(set) var steps: [Step]
    /// Its steps are shuffled at each opening.
    package let shufflesSteps: Bool
    /// It is left by itself this long after its first step was presented, whatever is unanswered;
    /// nil = never.
    package var limit: Duration?
    /// From here there is no way back to the section before.
    package var isOneWay = false

    package init(name: String, steps: [Step], shufflesSteps: Bool, limit: Duration? = nil) {
        self.name = name
        self.steps = steps
        self.shufflesSteps = shufflesSteps
        self.limit = limit
    }

    package func with(steps: [Step]) -> Section {
        var section = self
        section.steps = steps
        return section
    }
}

/// What becomes of a step when its section is shuffled.
package enum ShufflePlace: Sendable, Hashable {
    case anywhere
    /// It comes right behind the step before it in the file, wherever that comes.
    case behind
    /// It stays at the beginning or the end of its section.
    case fixed
}

/// A step's text that is computed when the step is presented, by a script for example. Platforms bring
/// their own.
package protocol ComputedText: Sendable {
    /// As plain text; nil = the step's own. Pure: the same facts give the same text.
    func text(_ facts: StudyFacts) -> String?
}

/// How what is said differs from a step's text.
package enum TextVariation: Sendable {
    /// An answer replaces a piece of it.
    case piped(Piping)
    /// It is made when it is said; the card has the step's own text.
    case made(any ComputedText)
}

package struct Step: Sendable {
    /// The platform's id, unique in its task.
    package let key: String
    /// What is asked, as plain text.
    package let text: String
    package var format: AnswerFormat
    /// It must be answered before the section is left.
    package let isRequired: Bool
    /// Shown only while this holds; nil = always. A hidden step keeps the answer it has.
    package var visibleWhen: (any Condition)?
    /// Looked at in order once the step is answered; the first that holds decides where to go.
    /// Empty = the next step.
    package var jumps: [Jump]
    /// Looked at in order before the step is presented; the first that holds leads elsewhere, and
    /// the step is skipped.
    package var detours: [Jump] = []
    /// A board that cannot ask it leaves it out, and the study goes without the answer; else such a
    /// board takes no part in the study.
    package var isDispensable = false
    /// From here there is no way back.
    package var isOneWay = false
    /// Where it goes when its section is shuffled.
    package var inShuffle = ShufflePlace.anywhere
    /// Of all steps of a task with the same group exactly one is drawn at each opening; nil
    /// = not in a group.
    package let drawGroup: String?
    /// Its path in the study's file.
    package let path: String
    /// What kind of step the platform calls it, where results name that; empty where they do not.
    package let wireName: String
    /// The id that results carry; the key itself, unless several steps of the task share an id.
    package var wireKey: String
    /// What is said in place of the text; nil = the text.
    package var variation: TextVariation?

    package var piping: Piping? { if case .piped(let piping) = variation { piping } else { nil } }
    package var computedText: (any ComputedText)? { if case .made(let text) = variation { text } else { nil } }

    /// A detour leads past it whatever was answered: it has no card.
    package var isAlwaysSkipped: Bool { detours.contains { $0.when is Always } }

    package init(
        key: String, text: String, format: AnswerFormat, isRequired: Bool = false,
        visibleWhen: (any Condition)? = nil, jumps: [Jump] = [], drawGroup: String? = nil, path: String = "",
        wireName: String = "", variation: TextVariation? = nil
    ) {
        self.key = key
        wireKey = key
        self.text = text
        self.format = format
        self.isRequired = isRequired
        self.visibleWhen = visibleWhen
        self.jumps = jumps
        self.drawGroup = drawGroup
        self.path = path
        self.wireName = wireName
        self.variation = variation
    }
}

/// A branch: where the condition holds, the run goes on there.
package struct Jump: Sendable {
    package enum Destination: Sendable, Hashable {
        case step(String)
        case end
        /// The run ends here, and once it is submitted the task of that key is opened.
        case task(String, at: RunStart)
    }
    /// Judged with the answers of the run so far, the one just given included.
    package let when: any Condition
    /// Where the run goes on; may be a step that was shown already.
    package let to: Destination

    package init(when: any Condition, to: Destination) {
        self.when = when
        self.to = to
    }
}

/// Where a run begins.
package enum RunStart: Sendable, Hashable {
    case first
    /// At the step of that key; at the first where the task has none.
    case step(String)
    /// After the last step: nothing is asked, and what is submitted has no answers.
    case end
}

/// A graph of one question's numeric answers over time.
package struct GraphDescription: Sendable, Hashable {
    /// How the points are drawn: `bar` from zero to each value, `line` from point to point.
    package enum Kind: String, Sendable { case bar, line }
    package let kind: Kind
    /// The question with the answers that are drawn.
    package let question: String
    /// Heading of the graph, as plain text.
    package let title: String
    /// Printed with the heading to explain the graph; may be empty.
    package let blurb: String
    /// This many of the latest points; 0 = all.
    package let maximumPoints: Int

    package init(kind: Kind, question: String, title: String, blurb: String, maximumPoints: Int) {
        self.kind = kind
        self.question = question
        self.title = title
        self.blurb = blurb
        self.maximumPoints = maximumPoints
    }
}
