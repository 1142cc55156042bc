// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Which hidden steps of an activity its logic can lead to, for `MyStudiesActivityReader`.
///
/// A step's `preLoadLogic` looks at the answer to this very step; the step that it leads to is
/// `hidden`, and names the first in `sourceQuestionKey`. A form has its logic in its last question.
/// `defaultVisibility` false marks the questions that have logic; they are shown. Source:
/// FDA-MyStudies/WCP-WS 0b4ae92f, ActivityMetaDataDao (getQuestionDetailsForQuestionnaire,
/// getFormDetailsForQuestionnaire), and FDA-MyStudies/iOS 9091edbe, ORKOrderedTask.m
/// (`stepAfterStep`), HelperUtilities.swift, ActivityStep.swift.
struct MyStudiesHiddenSteps {
    /// Keys of all steps that the logic of this activity leads to.
    private let reachable: Set<String>

    /// The app's own samples write `isHidden`.
    static func isHidden(_ step: JSONPlace) -> Bool {
        (step.member("hidden") ?? step.member("isHidden"))?.isTrue ?? false
    }

    /// The question with a step's logic: the last one of a form, else the step itself.
    static func decidingQuestion(of step: JSONPlace) -> JSONPlace { step.member("steps")?.elements?.last ?? step }

    /// Nil where the question has no logic: unless `defaultVisibility` is false, the server leaves it empty.
    static func logic(of question: JSONPlace) -> JSONPlace? {
        guard question.member("defaultVisibility")?.boolean == false, let logic = question.member("preLoadLogic"),
            logic.isObject
        else { return nil }
        return logic
    }

    /// Members of a logic that name the step shown next where its comparison holds. The server writes the first;
    /// the app's samples have the second, and `elseDestinationKey` for where it does not hold.
    static let destinationKeys = ["destinationStepKey", "destinationTrueStepKey"]
    static let elseDestinationKey = "destinationFalseStepKey"

    init(_ steps: [JSONPlace]) {
        let logic = steps.compactMap { step -> JSONPlace? in
            guard let logic = Self.logic(of: Self.decidingQuestion(of: step)) else { return nil }
            return Self.isLink(step, logic) || Self.hasText("value", in: logic) ? logic : nil
        }
        let keys = Self.destinationKeys + [Self.elseDestinationKey]
        reachable = Set(logic.flatMap { logic in keys.compactMap { logic.member($0)?.text } })
    }

    func isReachable(_ key: String) -> Bool { reachable.contains(key) }

    /// True for a hidden step of a group whose logic has no comparison: it always leads to the next step.
    static func isLink(_ step: JSONPlace, _ logic: JSONPlace) -> Bool {
        !hasText("value", in: logic) && !hasText("operator", in: logic) && hasText("groupId", in: step)
            && isHidden(step)
    }

    private static func hasText(_ key: String, in place: JSONPlace) -> Bool { place.member(key)?.text ?? "" != "" }
}
