// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What momenTUM, schema's younger fork, writes otherwise.
///
/// Source: momenTUM-app e14a806 (`src/app/interfaces/study.ts`) and the files of momenTUM's
/// designer; older ones have no `params`.
extension SchemaDecoder {
    /// A file of momenTUM: fields in `params`, a `_type` at every turn, or modules with an
    /// `id` and no `uuid`.
    static func isMomentum(_ root: JSONPlace, modules: [JSONPlace]) -> Bool {
        root.member("_type") != nil || root.member("properties")?.member("_type") != nil
            || modules.contains {
                $0.member("params") != nil || $0.member("_type") != nil
                    || ($0.member("uuid") == nil && $0.member("id") != nil)
            }
    }

    /// True for the reaction time test.
    func isReactionTest(_ place: JSONPlace) -> Bool { inner("type", of: place).member("type")?.text == "pvt" }

    /// The test as a questionnaire of one step; its key is that of `responses`.
    mutating func reactionTest(_ place: JSONPlace) -> Questionnaire {
        let holder = inner("trials", of: place)
        let rules = VigilanceRules(
            trials: findings.integer("trials", 1...1_000, in: holder) ?? 1,
            minimumWaiting: time("min_waiting", in: holder), maximumWaiting: time("max_waiting", in: holder),
            maximumReaction: time("max_reaction", in: holder), showsResults: findings.flag("show", in: holder),
            allowsLeaving: findings.flag("exit", in: holder))
        let task = ActiveTask.vigilance(rules)
        if let problem = task.problems.first {
            findings.expected("a reaction time test that can be played", at: holder, found: problem)
        } else if rules.isEndless, let reaction = holder.member("max_reaction") {
            findings.assume(
                "milliseconds, as in the app: nobody reacts within \(rules.maximumReaction), so that the test goes on until it is left; if seconds were meant, multiply by 1000",
                at: reaction)
        }
        let step = Step(
            key: Self.reactionTimes, text: Self.instructions(rules), format: .active(task), isRequired: true,
            path: holder.path)
        return Questionnaire(
            sections: [Section(name: "", steps: [step], shufflesSteps: false)], shufflesSections: false,
            submitText: plain("submit_text", in: inner("submit_text", of: place)))
    }

    /// The name under which the times are sent.
    private static let reactionTimes = "reaction_times"

    private mutating func time(_ key: String, in place: JSONPlace) -> Duration {
        .milliseconds(findings.integer(key, 0...3_600_000, in: place) ?? 0)
    }

    private static func instructions(_ rules: VigilanceRules) -> String {
        "The light will go on, each time after a while. Press any button as soon as it does. "
            + "The test lasts for \(rules.trials) trial\(rules.trials == 1 ? "" : "s")."
    }

    /// A photograph takes a camera: its place is kept, and says so on the panel, the card
    /// and in the data.
    mutating func photo(_ place: JSONPlace) -> AnswerFormat? {
        let type = place.member("type") ?? place
        let reference = MediaReference(kind: .photo, source: "", path: place.path)
        let isLeftOut = options.leavesOutPhotos
        if isLeftOut || place.member("required")?.isTrue != true {
            findings.unsupported(
                "a photograph cannot be taken without a camera: the text is given, and \"\(SchemaAnswer.noCamera)\" is sent"
                    + (isLeftOut ? ", as --\(SchemaOptions.withoutPhotos.name) says" : ""), at: type)
            return .media(reference)
        }
        findings.expected(
            "a question that a board without a camera can ask", at: type,
            found:
                "a photograph that is required; make it optional, ask in another way, or leave photographs out with --\(SchemaOptions.withoutPhotos.name)"
        )
        return nil
    }
}
