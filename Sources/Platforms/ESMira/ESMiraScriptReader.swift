// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the scripts of one questionnaire, for `ESMiraQuestionnaireReader`.
///
/// A script looks at the whole questionnaire, which is known only at the end. So `relevance` and
/// `computedText` return placeholders (`ESMiraScriptPlaceholder`), which `linked` replaces afterwards.
struct ESMiraScriptReader {
    /// Those that decide what is shown, or make texts; `ESMiraScriptPlaceholder.number` is an index into it.
    private(set) var read: [ESMiraScript] = []
    /// What is wrong with those that cannot be read; logged at the end of each run.
    private(set) var unread: [RunLog] = []
    /// Index of the page being read, which its reader sets.
    var page = 0

    /// The step with its placeholders replaced by scripts.
    func linked(_ step: Step, _ questionnaire: ESMiraQuestionnaire, _ study: ESMiraStudy) -> Step {
        var step = step
        step.visibleWhen = linked(step.visibleWhen, questionnaire, study)
        if let noted = step.computedText as? ESMiraScriptPlaceholder {
            step.variation = .computed(
                ESMiraScriptText(script: read[noted.number].script, questionnaire: questionnaire, study: study))
        }
        return step
    }

    func linked(
        _ condition: (any Condition)?, _ questionnaire: ESMiraQuestionnaire, _ study: ESMiraStudy
    ) -> (any Condition)? {
        switch condition {
        case let noted as ESMiraScriptPlaceholder:
            ESMiraRelevance(
                script: read[noted.number].script, questionnaire: questionnaire, study: study,
                unseen: questionnaire.pages[noted.page])
        case let several as AllOf: AllOf(several.all.compactMap { linked($0, questionnaire, study) })
        default: condition
        }
    }

    /// Parses the script under `key`; nil where there is none, or where it is faulty: then it counts as
    /// true, as in the app. `called` names it in logs.
    mutating func script(
        _ key: String, in place: JSONPlace, _ called: String, _ findings: inout Findings
    ) -> MerlinScript? {
        guard place.member(key) != nil else { return nil }
        let text = findings.text(key, in: place)
        guard text.contains(where: { !$0.isWhitespace }), let at = place.member(key) else { return nil }
        let isEnd = key == "endScriptBlock"
        for call in ["triggerQuestionnaire", "triggerNotification", "triggerMessage", "log(", "setVirtualItem"]
        where !isEnd && text.contains(call) {
            findings.unsupported("\(call) does nothing here, but in an endScriptBlock", at: at)
        }
        do {
            let script = try MerlinScript(text)
            if !isEnd, script.setsGlobals {
                findings.warn(
                    "what it sets in globals is forgotten here, so every script finds globals without it: pages and texts that depend on it may stay out; set it in an endScriptBlock, which keeps it",
                    at: at)
            }
            return script
        } catch {
            unread.append(RunLog(error, in: called))
            findings.warn("\(error); a script that cannot be read counts as true, as in the app", at: at)
            return nil
        }
    }

    /// A placeholder for the script that decides whether the page or input at `place` is shown.
    mutating func relevance(
        _ place: JSONPlace, _ called: String, _ findings: inout Findings
    ) -> (any Condition)? {
        noted("relevance", in: place, called, &findings)
    }

    /// A placeholder for the script that makes an input's text.
    mutating func computedText(
        _ place: JSONPlace, _ name: String, _ findings: inout Findings
    ) -> (any ComputedText)? {
        noted("textScript", in: place, "text script of item \(name)", &findings)
    }

    private mutating func noted(
        _ key: String, in place: JSONPlace, _ called: String, _ findings: inout Findings
    ) -> ESMiraScriptPlaceholder? {
        guard let script = script(key, in: place, called, &findings) else { return nil }
        read.append(ESMiraScript(script: script, name: called))
        return ESMiraScriptPlaceholder(number: read.count - 1, page: page)
    }
}

/// A placeholder for a script until the questionnaire that it looks at has been read; see `linked`.
struct ESMiraScriptPlaceholder: Condition, ComputedText, Hashable {
    /// Index in `ESMiraScriptReader.read`.
    let number: Int
    let page: Int

    func holds(_ facts: StudyFacts) -> Bool { true }
    func text(_ facts: StudyFacts) -> String? { nil }
}

/// A script with what the app calls it in its log.
struct ESMiraScript: Sendable {
    let script: MerlinScript
    let name: String
}
