// SPDX-License-Identifier: Apache-2.0

/// One thing a participant is asked to do: a schema module, an ESMira questionnaire, a MyStudies activity.
public struct StudyTask: Sendable {
    /// Unique in the study and stable over restarts: the platform's own id, else made from the position.
    public let key: String
    /// Zero-based position in the file; `module_index` on schema's wire.
    public let index: Int
    /// The name as the file gives it, sent with results.
    public let wireName: String
    /// The name as plain text, spoken and printed.
    public let name: String
    /// What a prompt says.
    public let prompt: PromptText
    /// The arm this task belongs to; nil = every participant's, whatever the arm.
    public let condition: String?
    /// When it is due.
    public let schedule: any Schedule
    /// Whether it can be opened now; asked anew whenever a fact changes.
    public let unlocked: any Condition
    /// True for a task that stays in the list for ever and may be answered again and again.
    public let isSticky: Bool
    /// The heading of sticky tasks in the list; empty where there is none.
    public let listLabel: String
    /// What is done.
    public let content: TaskContent
    /// How its answers are shown back; nil where they are not.
    public let graph: GraphDescription?
    /// What is recorded in the background while it is done.
    public let recorders: [TaskRecorder]
    /// What it does of itself when a run of it is submitted.
    public var ending: (any RunEnding)?
    /// For how long it is not offered again after it was done; nil = at once.
    public var rest: Duration?
    /// What its platform's own wire must know of it besides; nobody else looks into it.
    public var own: (any Sendable)?

    public init(
        key: String, index: Int, wireName: String, name: String, prompt: PromptText, condition: String?,
        schedule: any Schedule, unlocked: any Condition = Always(), isSticky: Bool = false, listLabel: String = "",
        content: TaskContent, graph: GraphDescription? = nil, recorders: [TaskRecorder] = []
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

/// What a prompt says, as plain text.
public struct PromptText: Sendable, Hashable {
    /// Heading of the prompt; empty where the platform gives none.
    public let title: String
    /// What is told after the heading; may be empty.
    public let message: String

    public init(title: String, message: String) {
        self.title = title
        self.message = message
    }
}

/// What is done in a task. Active tasks join here when a platform brings them.
public enum TaskContent: Sendable {
    case questionnaire(Questionnaire)
}

/// Questions in sections.
public struct Questionnaire: Sendable {
    /// Sections in the order of the file.
    public let sections: [Section]
    /// Sections are shuffled at each opening.
    public let shufflesSections: Bool
    /// The platform's label of the last button.
    public let submitText: String

    public init(sections: [Section], shufflesSections: Bool, submitText: String) {
        self.sections = sections
        self.shufflesSections = shufflesSections
        self.submitText = submitText
    }

    /// Every step of every section, in the order of the file.
    public var steps: [Step] { sections.flatMap(\.steps) }
}

/// A page of questions.
public struct Section: Sendable {
    /// The page's heading; may be empty. Not unique.
    public let name: String
    /// In the order of the file, which `shufflesSteps` overrules at each opening.
    public let steps: [Step]
    /// Its steps are shuffled at each opening.
    public let shufflesSteps: Bool

    public init(name: String, steps: [Step], shufflesSteps: Bool) {
        self.name = name
        self.steps = steps
        self.shufflesSteps = shufflesSteps
    }
}

/// One question or instruction.
public struct Step: Sendable {
    /// The platform's id, unique in its task.
    public let key: String
    /// What is asked, as plain text.
    public let text: String
    /// How it is answered.
    public var format: AnswerFormat
    /// It must be answered before the section is left.
    public let isRequired: Bool
    /// Shown only while this holds; nil = always. A hidden step keeps the answer it has.
    public var visibleWhen: (any Condition)?
    /// Looked at in order once the step is answered; the first that holds decides where to go. Empty = the next step.
    public var jumps: [Jump]
    /// Of all steps of a task with the same group exactly one is drawn at each opening; nil = not in a group.
    public let drawGroup: String?
    /// Where it stands in the study's file.
    public let path: String
    /// What kind of step the platform calls it, where results name that; empty where they do not.
    public let wireName: String
    /// The id that results carry; the key itself, unless several steps of the task share an id.
    public var wireKey: String
    /// The answer that stands in the text in place of a piece of it; nil = the text is as it is.
    public var piping: Piping?

    /// A step of these parts.
    public init(
        key: String, text: String, format: AnswerFormat, isRequired: Bool = false,
        visibleWhen: (any Condition)? = nil, jumps: [Jump] = [], drawGroup: String? = nil, path: String = "",
        wireName: String = "", piping: Piping? = nil
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
        self.piping = piping
    }
}

/// Navigation of the second kind: when the condition holds, go there.
public struct Jump: Sendable {
    /// Where a jump leads.
    public enum Destination: Sendable, Hashable {
        case step(String)
        case end
        /// The run ends here, and once it is submitted the task of that key is opened, at the step of that key; nil = at its
        /// beginning.
        case task(String, step: String?)
    }
    /// Judged with the answers of the run so far, the one just given included.
    public let when: any Condition
    /// Where the run goes on; may be a step that was shown already.
    public let to: Destination

    /// Goes to `to` when `when` holds.
    public init(when: any Condition, to: Destination) {
        self.when = when
        self.to = to
    }
}

/// A graph of one question's numeric answers over time.
public struct GraphDescription: Sendable, Hashable {
    /// How the points are drawn: `bar` from zero to each value, `line` from point to point.
    public enum Kind: String, Sendable { case bar, line }
    /// How the points are drawn.
    public let kind: Kind
    /// The question whose answers are drawn.
    public let question: String
    /// Heading of the graph, as plain text.
    public let title: String
    /// Stands with the heading and explains the graph; may be empty.
    public let blurb: String
    /// The latest so many points; 0 = all.
    public let maximumPoints: Int

    public init(kind: Kind, question: String, title: String, blurb: String, maximumPoints: Int) {
        self.kind = kind
        self.question = question
        self.title = title
        self.blurb = blurb
        self.maximumPoints = maximumPoints
    }
}
