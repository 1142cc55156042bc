// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import StudyModel
import Times

extension ESMiraDecoder {
    /// One questionnaire; nil where it has nothing to be filled out, which has been noted, or cannot be.
    mutating func questionnaire(_ place: JSONPlace, index: Int) -> StudyTask? {
        let id = number("internalId", -1...Int(Int32.max), in: place, default: -1)
        let title = place.member("title") == nil ? "Error" : findings.text("title", in: place)
        let pages = list("pages", of: "pages", in: place)
        guard !pages.isEmpty else {
            findings.warn("no pages, so it can never be filled out, as in the app", for: "pages", in: place)
            return nil
        }
        guard flag("publishedAndroid", in: place, default: true) || flag("publishedIOS", in: place, default: true)
        else {
            findings.warn("published for no phone, so nobody ever gets it, as in the app", at: place)
            return nil
        }
        refuseScript("scriptFilter", in: place)
        refuseScript("endScriptBlock", in: place)
        var read: [ESMiraInput] = []
        let sections = pages.enumerated().map { section($1, number: $0 + 1, into: &read) }
        let schedule = schedule(place, key: String(id))
        var task = StudyTask(
            key: String(id), index: index, wireName: title, name: PlainText(html: title).text,
            prompt: PromptText(
                title: PlainText(html: title).text, message: schedule.prompts.first?.action.message ?? ""),
            condition: group(place), schedule: schedule, unlocked: availability(place, key: String(id)),
            isSticky: !schedule.isByPrompt,
            content: .questionnaire(Questionnaire(sections: sections, shufflesSections: false, submitText: "")))
        task.rest = rest(place)
        task.own = ESMiraQuestionnaire(
            internalID: id, title: title, inputs: read, pages: sections.map { Set($0.steps.map(\.key)) },
            sumScores: sumScores(place), virtualInputs: findings.texts("virtualInputs", in: place).map(\.text))
        return task
    }

    /// A number above `randomGroups` counts as every group.
    private mutating func group(_ place: JSONPlace) -> String? {
        let group = number("limitToGroup", 0...1_000, in: place, default: 0)
        guard group > 0, groups > 1 else { return nil }
        guard group <= groups else {
            findings.assume(
                "there are only \(groups) groups: it is everybody's, as in the app", for: "limitToGroup", in: place)
            return nil
        }
        return String(group)
    }

    private mutating func rest(_ place: JSONPlace) -> Duration? {
        guard flag("limitCompletionFrequency", in: place) else { return nil }
        return .seconds(60 * number("completionFrequencyMinutes", 0...1_000_000, in: place, default: 60))
    }

    private mutating func availability(_ place: JSONPlace, key: String) -> any Condition {
        flag("completableOnce", in: place) ? NotYetDone(task: key) : Always()
    }

    private mutating func sumScores(_ place: JSONPlace) -> [ESMiraQuestionnaire.SumScore] {
        list("sumScores", of: "sum scores", in: place).map { score in
            .init(
                name: findings.text("name", in: score), adds: findings.texts("addList", in: score).map(\.text),
                subtracts: findings.texts("subtractList", in: score).map(\.text))
        }
    }

    private mutating func section(_ place: JSONPlace, number: Int, into read: inout [ESMiraInput]) -> Section {
        refuseScript("relevance", in: place)
        let seconds = self.number("skipAfterSecs", 0...1_000_000, in: place, default: 0)
        if seconds > 0, let skip = place.member("skipAfterSecs") {
            findings.unsupported(
                "the page is not left by itself after \(seconds) s: without a screen nobody sees it pass", at: skip)
        }
        var steps: [Step] = []
        for key in ["header", "footer"] {
            let text = plain(key, in: place)
            let step = Step(key: "page\(number)~\(key)", text: text, format: .instruction, path: place.path(to: key))
            if key == "header" {
                if !text.isEmpty { steps.append(step) }
                for input in list("inputs", of: "inputs", in: place) { steps += self.steps(input, into: &read) }
            } else if !text.isEmpty {
                steps.append(step)
            }
        }
        return Section(name: "", steps: steps, shufflesSteps: flag("randomized", in: place))
    }

    /// Scripts are refused by name until they can be run.
    mutating func refuseScript(_ key: String, in place: JSONPlace) {
        guard let script = place.member(key), let text = script.text,
            text.contains(where: { !$0.isWhitespace })
        else { return }
        findings.expected("no script: Merlin is not run here", at: script)
    }
}

/// Holds until a task was completed for the first time.
struct NotYetDone: Condition, Hashable {
    /// The task's key.
    let task: String

    func holds(_ facts: StudyFacts) -> Bool { !facts.completedTasks.contains(task) }
}
