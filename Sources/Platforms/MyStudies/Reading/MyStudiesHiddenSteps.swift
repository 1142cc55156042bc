// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The hidden steps of an activity, and the logic that leads to them.
///
/// A step's `preLoadLogic` looks at the answer to this very step; the step that it leads to is
/// `hidden`, and names the other in `sourceQuestionKey`. A form has its logic in its last question.
/// `defaultVisibility` false marks the questions that have logic; they are shown. Source:
/// FDA-MyStudies/WCP-WS 0b4ae92f, ActivityMetaDataDao (getQuestionDetailsForQuestionnaire,
/// getFormDetailsForQuestionnaire), and FDA-MyStudies/iOS 9091edbe, ORKOrderedTask.m
/// (`stepAfterStep`), HelperUtilities.swift, ActivityStep.swift.
struct MyStudiesHiddenSteps {
    /// What the logic of this activity leads to.
    private let reachable: Set<String>

    /// The app's own samples write `isHidden`.
    static func isHidden(_ step: JSONPlace) -> Bool {
        (step.member("hidden") ?? step.member("isHidden"))?.isTrue ?? false
    }

    /// The question that a step's logic looks at: of a form the last, else the step itself.
    static func asking(_ step: JSONPlace) -> JSONPlace { step.member("steps")?.elements?.last ?? step }

    /// Nil where the question has none: with `defaultVisibility` the server's editor leaves it empty.
    static func logic(of question: JSONPlace) -> JSONPlace? {
        guard question.member("defaultVisibility")?.boolean == false, let logic = question.member("preLoadLogic"),
            logic.isObject
        else { return nil }
        return logic
    }

    /// Members of a logic that name steps. The server writes the first; the app's samples have the others.
    static let ways = ["destinationStepKey", "destinationTrueStepKey"]
    static let otherWay = "destinationFalseStepKey"

    init(_ steps: [JSONPlace]) {
        let logic = steps.compactMap { step -> JSONPlace? in
            guard let logic = Self.logic(of: Self.asking(step)) else { return nil }
            return Self.isLink(step, logic) || Self.says("value", in: logic) ? logic : nil
        }
        reachable = Set(logic.flatMap { logic in (Self.ways + [Self.otherWay]).compactMap { logic.member($0)?.text } })
    }

    func isReachable(_ key: String) -> Bool { reachable.contains(key) }

    /// In a group of hidden steps one without a comparison leads on to the next.
    static func isLink(_ step: JSONPlace, _ logic: JSONPlace) -> Bool {
        !says("value", in: logic) && !says("operator", in: logic) && says("groupId", in: step) && isHidden(step)
    }

    private static func says(_ key: String, in place: JSONPlace) -> Bool { place.member(key)?.text ?? "" != "" }
}
