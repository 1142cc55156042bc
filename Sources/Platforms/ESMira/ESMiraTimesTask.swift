// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// A task on the panel in which the participant moves prompt times. It stays in the list, and has one question
/// for each fixed time and two (start, end) for each random one. The app has a separate page for it if a
/// schedule is `userEditable` (`Study.hasEditableSchedules`, ESMira-apps f750e58). A time whose questions are
/// not answered stays as it is. `ESMiraDecoder` adds the task.
struct ESMiraTimesTask: RunEnding {
    private static let key = "times"

    let times: [ESMiraMovableTime]
    let words: Words

    /// The task, which comes after the study's own; nil where no time may be moved.
    static func task(moving times: [ESMiraMovableTime], index: Int, language: String) -> StudyTask? {
        guard !times.isEmpty else { return nil }
        let words = Words(for: language.isEmpty ? Language.english.tag : language)
        let name = words(StudyPhrases.changeTimes)
        var made = StudyTask(
            key: key, index: index, wireName: "", name: name, prompt: PromptText(title: name, message: ""),
            condition: nil, schedule: AlwaysOpen(), unlocked: ESMiraArmCondition(arms: times.map(\.arm)),
            isSticky: true, content: Questionnaire(times.flatMap { $0.steps(words) }))
        made.purpose = .settings
        made.ending = ESMiraTimesTask(times: times, words: words)
        return made
    }

    func end(_ facts: StudyFacts) -> RunEnd {
        var end = RunEnd()
        end.times.times = times.compactMap { $0.change(facts) }
        end.times.done = words(StudyPhrases.timesChanged)
        end.times.refused = words(StudyPhrases.timesRefused)
        return end
    }
}

/// A time that the participant may move, with the questions about it.
struct ESMiraMovableTime: Sendable {
    let task: String
    let name: String
    /// nil = for all arms.
    let arm: String?
    let time: ESMiraSignalTime

    private var startKey: String { "start-\(task)-\(time.id)" }
    private var endKey: String { "end-\(task)-\(time.id)" }

    /// Cards print the study's times; the panel says the current ones.
    func steps(_ words: Words) -> [Step] {
        (time.isRandom ? [startKey, endKey] : [startKey]).map { key in
            var step = Step(
                key: key, text: text(time.window, isEnd: key == endKey, words), format: .dateTime(.time),
                visibleWhen: ESMiraArmCondition(arms: [arm]), path: "$.questionnaires")
            step.variation = .computed(TimeText(time: self, isEnd: key == endKey, words: words))
            return step
        }
    }

    /// The change that the answers ask for; nil = none.
    func change(_ facts: StudyFacts) -> PromptTime? {
        let (start, end) = (answer(startKey, facts), answer(endKey, facts))
        guard start != nil || end != nil else { return nil }
        let present = time.present(task, facts)
        return PromptTime(
            id: time.id, task: task, start: start ?? present.start,
            end: time.isRandom ? end ?? present.end % ESMiraDayWindow.day : nil, rhythm: time.rhythm, isMoved: true)
    }

    private func answer(_ key: String, _ facts: StudyFacts) -> Int? {
        guard case .dateTime(let moment)? = facts.answers[key] else { return nil }
        return Int(moment.time.nanoseconds / 1_000_000)
    }

    fileprivate func text(_ window: ESMiraDayWindow, isEnd: Bool, _ words: Words) -> String {
        func clock(_ milliseconds: Int) -> String {
            let minutes = milliseconds / 60_000 % 1_440
            return (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2)
        }
        if isEnd { return words(StudyPhrases.newEnd, name) }
        return time.isRandom
            ? words(StudyPhrases.newStart, name, clock(window.start), clock(window.end))
            : words(StudyPhrases.newTime, name, clock(window.start))
    }

    private struct TimeText: ComputedText {
        let time: ESMiraMovableTime
        let isEnd: Bool
        let words: Words

        func text(_ facts: StudyFacts) -> String? {
            time.text(time.time.present(time.task, facts), isEnd: isEnd, words)
        }
    }
}

/// Holds for participants of one of these groups; nil among them = of all.
struct ESMiraArmCondition: Condition {
    let arms: [String?]

    func holds(_ facts: StudyFacts) -> Bool { arms.contains { $0 == nil || $0 == facts.condition } }
}
