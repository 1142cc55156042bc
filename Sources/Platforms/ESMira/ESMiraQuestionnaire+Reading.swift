// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension ESMiraDecoder {
    /// One questionnaire; nil where it has nothing to be filled out, which has been
    /// noted, or cannot be.
    mutating func questionnaire(_ place: JSONPlace, index: Int) -> StudyTask? {
        let id = number("internalId", -1...Int(Int32.max), in: place, default: -1)
        let title = place.member("title") == nil ? "Error" : findings.text("title", in: place)
        let pages = list("pages", of: "pages", in: place)
        let span = span(place)
        let group = group(place)
        lives.append(
            .init(task: String(id), span: span, group: group, isOnce: flag("completableOnce", in: place)))
        guard !pages.isEmpty else {
            findings.warn("no pages, so it can never be filled out, as in the app", for: "pages", in: place)
            return nil
        }
        guard flag("publishedAndroid", in: place, default: true) || flag("publishedIOS", in: place, default: true)
        else {
            findings.warn("published for neither Android nor iOS, so nobody ever gets it, as in the app", at: place)
            return nil
        }
        (questionnaireKey, turns, scripts) = (String(id), [], [])
        unread = []
        var read: [ESMiraInput] = []
        var sections = pages.enumerated().map { section($1, number: $0 + 1, into: &read) }
        let schedule = schedule(place, span: span)
        let own = ESMiraQuestionnaire(
            internalID: id, title: title, inputs: read, pages: sections.map { Set($0.steps.map(\.key)) },
            sumScores: sumScores(place), virtualInputs: findings.texts("virtualInputs", in: place).map(\.text))
        let isOneWay = !flag("isBackEnabled", in: place, default: true)
        sections = sections.map { section in
            var section = section.with(steps: section.steps.map { linked($0, own) })
            section.isOneWay = isOneWay
            return section
        }
        var task = StudyTask(
            key: String(id), index: index, wireName: title, name: PlainText(html: title).text,
            prompt: PromptText(
                title: PlainText(html: title).text, message: schedule.prompts.first?.action.message ?? ""),
            condition: group, schedule: schedule, unlocked: availability(place, key: String(id), own),
            isSticky: !schedule.isByPrompt,
            content: .questionnaire(Questionnaire(sections: sections, shufflesSections: false, submitText: "")))
        task.rest = rest(place)
        task.hours = schedule.hours
        if flag("completableOnce", in: place) { task.lives = NotYetDone(task: String(id)) }
        task.own = own
        let ending = script("endScriptBlock", in: place, "end script block")
        if ending != nil || !turns.isEmpty || !scripts.isEmpty || !unread.isEmpty {
            task.ending = ESMiraEnding(
                script: ending, questionnaire: own, study: studyOwn, turns: turns, others: scripts, unread: unread)
        }
        return task
    }

    /// A number above `randomGroups` counts as every group.
    private mutating func group(_ place: JSONPlace) -> String? {
        let group = number("limitToGroup", 0...1_000, in: place, default: 0)
        guard group > 0, groups > 1 else { return nil }
        guard group <= groups else {
            findings.assume(
                "there are only \(groups) groups: everybody gets it, as in the app", for: "limitToGroup", in: place)
            return nil
        }
        return String(group)
    }

    private mutating func rest(_ place: JSONPlace) -> Duration? {
        guard flag("limitCompletionFrequency", in: place) else { return nil }
        return .seconds(60 * number("completionFrequencyMinutes", 0...1_000_000, in: place, default: 60))
    }

    private mutating func availability(
        _ place: JSONPlace, key: String, _ own: ESMiraQuestionnaire
    ) -> any Condition {
        let once = flag("completableOnce", in: place) ? NotYetDone(task: key) : nil
        let filter = script("scriptFilter", in: place, "evaluate if questionnaire is active").map {
            ESMiraRelevance(scripts: [$0], questionnaire: own, study: studyOwn)
        }
        return both(once, filter) ?? Always()
    }

    /// The step with the scripts that decide whether it is shown; they look at the
    /// whole questionnaire.
    private func linked(_ step: Step, _ own: ESMiraQuestionnaire) -> Step {
        var step = step
        step.visibleWhen = linked(step.visibleWhen, own)
        if let noted = step.telling as? NotedScript {
            step.telling = ESMiraText(script: scripts[noted.number].script, questionnaire: own, study: studyOwn)
        }
        return step
    }

    private func linked(_ condition: (any Condition)?, _ own: ESMiraQuestionnaire) -> (any Condition)? {
        switch condition {
        case let noted as NotedScript:
            ESMiraRelevance(scripts: [scripts[noted.number].script], questionnaire: own, study: studyOwn)
        case let several as AllOf: AllOf(all: several.all.compactMap { linked($0, own) })
        default: condition
        }
    }

    private mutating func sumScores(_ place: JSONPlace) -> [ESMiraQuestionnaire.SumScore] {
        list("sumScores", of: "sum scores", in: place).map { score in
            .init(
                name: findings.text("name", in: score), adds: findings.texts("addList", in: score).map(\.text),
                subtracts: findings.texts("subtractList", in: score).map(\.text))
        }
    }

    private mutating func section(_ place: JSONPlace, number: Int, into read: inout [ESMiraInput]) -> Section {
        let relevance = relevance(place, "page relevance script (page \(number - 1))")
        if number == 1, relevance != nil {
            findings.assume("the first page is always shown, as in the app", for: "relevance", in: place)
        }
        let seconds = self.number("skipAfterSecs", 0...1_000_000, in: place, default: 0)
        if seconds > 0, let skip = place.member("skipAfterSecs") {
            findings.assume(
                "the page is left by itself \(seconds) s after its first question, but not during a recording",
                at: skip)
        }
        var steps: [Step] = []
        for key in ["header", "footer"] {
            let text = plain(key, in: place)
            var step = Step(key: "page\(number)~\(key)", text: text, format: .instruction, path: place.path(to: key))
            step.inShuffle = .fixed
            if key == "header" {
                if !text.isEmpty { steps.append(step) }
                for input in list("inputs", of: "inputs", in: place) { steps += self.steps(input, into: &read) }
            } else if !text.isEmpty {
                steps.append(step)
            }
        }
        if number > 1 {
            for index in steps.indices { steps[index].visibleWhen = both(relevance, steps[index].visibleWhen) }
        }
        return Section(
            name: "", steps: steps, shufflesSteps: flag("randomized", in: place),
            limit: seconds > 0 ? .seconds(seconds) : nil)
    }

    /// A script that was read; nil where there is none, or it cannot be read: then it counts as
    /// true, as in the app.
    private mutating func script(_ key: String, in place: JSONPlace, _ called: String) -> MerlinScript? {
        guard place.member(key) != nil else { return nil }
        let text = findings.text(key, in: place)
        guard text.contains(where: { !$0.isWhitespace }), let at = place.member(key) else { return nil }
        let isEnd = key == "endScriptBlock"
        for call in ["triggerQuestionnaire", "triggerNotification", "triggerMessage", "log("]
        where !isEnd && text.contains(call) {
            findings.unsupported("\(call) does nothing here, but in an endScriptBlock", at: at)
        }
        do {
            return try MerlinScript(text)
        } catch {
            unread.append(RunLog(error, in: called))
            findings.warn("\(error); a script that cannot be read counts as true, as in the app", at: at)
            return nil
        }
    }

    /// A condition that stands for the script until the whole questionnaire is known.
    mutating func relevance(_ place: JSONPlace, _ called: String) -> (any Condition)? {
        noted("relevance", in: place, called)
    }

    /// What is told in place of an input's text.
    mutating func telling(_ place: JSONPlace, _ name: String) -> (any StepTelling)? {
        noted("textScript", in: place, "text script of item \(name)")
    }

    private mutating func noted(_ key: String, in place: JSONPlace, _ called: String) -> NotedScript? {
        guard let script = script(key, in: place, called) else { return nil }
        scripts.append(ESMiraScript(script: script, place: called))
        return NotedScript(number: scripts.count - 1)
    }
}

/// Holds until a task was completed for the first time.
struct NotYetDone: Condition, Hashable {
    /// The task's key.
    let task: String

    func holds(_ facts: StudyFacts) -> Bool { !facts.completedTasks.contains(task) }
}

/// A script that was read before the questionnaire that it looks at.
struct NotedScript: Condition, StepTelling, Hashable {
    /// Its place among the scripts of the questionnaire.
    let number: Int

    func holds(_ facts: StudyFacts) -> Bool { true }
    func text(_ facts: StudyFacts) -> String? { nil }
}
