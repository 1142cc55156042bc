// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads momenTUM's reaction time test, a module of the type `pvt`, for `SchemaModuleReader`.
///
/// Source: momenTUM-app e14a806 (`src/app/interfaces/study.ts`) and the files of momenTUM's
/// designer; older ones have no `params`.
enum SchemaReactionTestReader {
    // `holder(of:)` finds a field in the module itself or in its `params`.
    static func isReactionTest(_ module: JSONPlace) -> Bool {
        module.holder(of: "type").member("type")?.text == "pvt"
    }

    /// The test as a questionnaire of one step; its key is that of `responses`.
    static func questionnaire(_ place: JSONPlace, _ findings: inout Findings) -> Questionnaire {
        let holder = place.holder(of: "trials")
        let rules = VigilanceRules(
            trials: findings.integer("trials", 1...1_000, in: holder) ?? 1,
            minimumWaiting: time("min_waiting", in: holder, &findings),
            maximumWaiting: time("max_waiting", in: holder, &findings),
            maximumReaction: time("max_reaction", in: holder, &findings),
            showsResults: findings.flag("show", in: holder), allowsLeaving: findings.flag("exit", in: holder))
        let task = ActiveTask(rules)
        if let problem = task.problems.first {
            findings.expected("a reaction time test that can be played", at: holder, found: problem)
        } else if rules.isEndless, let reaction = holder.member("max_reaction") {
            findings.assume(
                "milliseconds, as in the app: no one reacts within \(rules.maximumReaction), so that the test goes on until it is left; if seconds were meant, multiply by 1000",
                at: reaction)
        }
        let step = Step(
            key: "reaction_times", text: instructions(rules), format: .active(task), isRequired: true, path: holder.path
        )
        return Questionnaire([step], submitText: findings.plain("submit_text", in: place.holder(of: "submit_text")))
    }

    private static func time(_ key: String, in place: JSONPlace, _ findings: inout Findings) -> Duration {
        .milliseconds(findings.integer(key, 0...3_600_000, in: place) ?? 0)
    }

    private static func instructions(_ rules: VigilanceRules) -> String {
        "The light will go on, each time after a while. Press any button as soon as it does. "
            + "The test lasts for \(rules.trials) trial\(rules.trials == 1 ? "" : "s")."
    }
}
