// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A step while its task is read: `SageTaskReader` fills it in, and then `SageRoute` turns the exits, hides
/// and replacements, which name steps and sections, into jumps between steps.
struct SageRow {
    var step: Step
    /// Where the step's result lies in the tree of results, and what it looks like.
    var sageStep: SageStep
    let place: JSONPlace
    /// Where the step leads, in order; the first whose condition holds decides.
    var exits: [SageExit] = []
    /// Conditions under which the step is not shown; its exits are followed all the same.
    var hides: [any Condition] = []
    /// Conditions under which something else is shown in its place.
    var replacements: [SageExit] = []
    /// Rules of a form's field, looked at when the form is left.
    var rules: [JSONPlace] = []

    init(step: Step, sageStep: SageStep, place: JSONPlace) {
        self.step = step
        self.sageStep = sageStep
        self.place = place
    }

    /// `part` is the form or question whose field the step asks; `variant` is appended to the key where one step
    /// of the file becomes several.
    init(
        _ place: JSONPlace, _ identifier: String, _ scope: SageScope, text: String, format: AnswerFormat,
        kind: SageStep.Kind, field: SageField? = nil, part: String? = nil, isRequired: Bool = false,
        variant: String = ""
    ) {
        let key = (scope.sections + (part.map { [$0] } ?? []) + [identifier + variant]).joined(separator: "/")
        step = Step(
            key: key, text: text, format: format, isRequired: isRequired, path: place.path,
            wireName: place.member("type")?.text ?? "")
        step.wireKey = identifier
        step.isOneWay = scope.isOneWay
        sageStep = SageStep(identifier: identifier, sections: scope.sections, part: part, kind: kind)
        sageStep.field = field
        // `instantiateStepResult` of SageResearch (`QuestionObjects.swift`); AssessmentModel has the title alone.
        sageStep.questionText = ["title", "subtitle", "detail"].lazy.compactMap { place.member($0)?.text }.first
        self.place = place
    }
}

/// A way out of a step or past it.
struct SageExit {
    /// Nil = always.
    let when: (any Condition)?
    /// An identifier, or a reserved word.
    let to: String
    let place: JSONPlace
    /// The sections in which the identifier is looked for, the innermost first.
    let sections: [String]
}
