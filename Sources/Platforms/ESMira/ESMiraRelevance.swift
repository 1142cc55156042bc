// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A page's or an input's `relevance`, which `Navigator` asks, or a questionnaire's `scriptFilter`, which
/// `TaskAccess` asks. A script that fails counts as true, as in the app.
struct ESMiraRelevance: Condition {
    let script: MerlinScript
    let questionnaire: ESMiraQuestionnaire
    let study: ESMiraStudy
    /// Keys of the steps of its page, whose answers the script does not see: the app decides once, when the page
    /// is first shown and none of them is answered (`Page.activeInputs`, ESMira-apps f750e58).
    var unseen: Set<String> = []

    func holds(_ facts: StudyFacts) -> Bool {
        var facts = facts
        for key in unseen { facts.answers[key] = nil }
        return ESMiraScriptHost(questionnaire, study, facts).run(script).result?.isTrue ?? true
    }
}

/// A text that is made by a script: `textScript`. Where it fails, the input's own text is used.
struct ESMiraScriptText: ComputedText {
    let script: MerlinScript
    let questionnaire: ESMiraQuestionnaire
    let study: ESMiraStudy

    func text(_ facts: StudyFacts) -> String? {
        ESMiraScriptHost(questionnaire, study, facts).run(script).result.map { PlainText(html: $0.text).text }
    }
}
