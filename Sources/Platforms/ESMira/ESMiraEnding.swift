// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a questionnaire does when it is sent: its `endScriptBlock`, and which question of each changing input
/// (`dynamic_input`) comes next. `ParticipantSchedule` asks for it when a run is submitted.
struct ESMiraEnding: RunEnding {
    /// The `endScriptBlock`; nil = there is none, or it cannot be read.
    let script: MerlinScript?
    let questionnaire: ESMiraQuestionnaire
    let study: ESMiraStudy
    let turns: [Turn]
    /// The scripts of texts and relevance. They run once more with the answers of the end, so that
    /// what fails in them is logged once for each run.
    let others: [ESMiraScript]
    /// What is wrong with scripts that cannot be read.
    let unread: [RunLog]

    /// A changing input, and when it is shown; nil = always. Where it was not shown, its question keeps its turn
    /// (`Input.getDynamicInput`, called by `DynamicView`).
    struct Turn: Sendable {
        let turn: ESMiraTurn
        var when: (any Condition)?
    }

    func end(_ facts: StudyFacts) -> RunEnd {
        var end = RunEnd()
        end.logs = unread
        for other in others {
            let run = ESMiraScriptHost(questionnaire, study, facts).run(other.script)
            if let problem = run.problem { end.logs.append(RunLog(problem, in: other.name)) }
        }
        // Each changing input that was shown passes its turn on; the end script below sees which was asked.
        for turn in turns.filter({ $0.when?.holds(facts) ?? true }).map(\.turn) {
            let index = turn.index(facts)
            end.answers[ESMiraTurn.indexKey(turn.input)] = .number(Double(index))
            end.variables[turn.variable] = .number(Double(turn.count(after: facts)))
        }
        guard let script else { return end }
        var seen = facts
        seen.answers.merge(end.answers) { $1 }
        let run = ESMiraScriptHost(questionnaire, study, seen).run(script)
        for effect in run.effects { apply(effect, to: &end, facts.setting?.now ?? .epoch) }
        if let problem = run.problem { end.logs.append(RunLog(problem, in: "end script block")) }
        end.variables[ESMiraScriptHost.globals] = .text(run.globals.json.text)
        return end
    }

    /// Logs go to those who run the study, news to the participant, and happenings may make tasks due.
    private func apply(_ effect: MerlinEffect, to end: inout RunEnd, _ now: Instant) {
        switch effect {
        case .virtualItem(let name, let value): end.answers[ESMiraQuestionnaire.virtualKey(name)] = .text(value)
        case .log(let text): end.logs.append(RunLog(kind: "UserLog", place: "user log", message: text))
        case .notification(let text): end.news.append((text, nil))
        case .message(let text):
            let id = "script-\(now.milliseconds)-\(end.news.count)"
            end.news.append((text, StudyMessage(id: id, title: "", text: text, date: now).record))
        case .questionnaire(let id, let message, let minutes, isShown: _):  // true: `isFillable` never gives false
            end.happenings.append(ESMiraTrigger.call(id, message, minutes: minutes, at: now))
        }
    }
}

extension RunLog {
    /// A script that failed, as the app logs it.
    init(_ problem: MerlinProblem, in place: String) {
        self.init(
            kind: problem.kind.rawValue, place: place,
            message: "At line \(problem.place.line), column \(problem.place.column): \(problem.message)"
                + (problem.variables.isEmpty ? "" : "\n" + problem.variables))
    }
}
