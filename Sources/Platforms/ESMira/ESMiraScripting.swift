// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a questionnaire's scripts, in ESMira's language Merlin, look at: its answers so far, the study,
/// the time, and `globals`, which are kept with the enrolment. Where `facts.setting` (who, where, when) is
/// unknown, the time is zero.
struct ESMiraScriptHost: MerlinHost {
    private let questionnaire: ESMiraQuestionnaire
    private let study: ESMiraStudy
    private let facts: StudyFacts
    /// Answers as they would be sent, by the names of their fields.
    private let values: [String: String]

    init(_ questionnaire: ESMiraQuestionnaire, _ study: ESMiraStudy, _ facts: StudyFacts) {
        self.questionnaire = questionnaire
        self.study = study
        self.facts = facts
        values = Dictionary(questionnaire.inputs.flatMap { $0.fields(facts.answers) }.map { ($0.name, $0.value) }) {
            $1  // of several of a name the last page's, as `MerlinHost` wants it
        }
    }

    func answer(_ item: String) -> String? { values[item] }
    func addition(_ item: String, _ key: String) -> String? { values["\(item)~\(key)"] }
    func hasVirtualItem(_ name: String) -> Bool { questionnaire.virtualInputs.contains(name) }
    /// True for every questionnaire of the study, active or not: the prompt of an inactive one is not given.
    func isFillable(internalID: Int) -> Bool? { study.questionnaires.contains(internalID) ? true : nil }

    func fact(_ fact: MerlinFact) -> MerlinValue {
        switch fact {
        case .group: .number(Double(study.group(facts.condition)))
        case .studyID: .number(Double(study.id))
        case .studyVersion: .number(Double(study.version))
        case .studyLanguage: .text(study.language)
        case .questionnaireName: .text(questionnaire.title)
        case .appType: .text(ESMiraWire.appType)
        case .appVersion: .text(ESMiraWire.appVersion)
        case .timeZone: .text(period?.abbreviation ?? "UTC")
        case .timeZoneOffset: .number(Double((period?.offset ?? 0) * 1_000))
        }
    }

    private var period: Zone.Period? { facts.setting.map { $0.zone.period(at: $0.now) } }
    private var local: LocalDateTime? { facts.setting.map { $0.zone.local($0.now) } }

    var now: Int64 { facts.setting?.now.milliseconds ?? 0 }
    var midnight: Int64 {
        guard let setting = facts.setting, let local else { return 0 }
        return setting.zone.resolve(LocalDateTime(local.date, .midnight)).instant.milliseconds
    }
    var day: Int {
        guard let setting = facts.setting, let local else { return 0 }
        return local.date.daysSinceEpoch - setting.enrolment.local.date.daysSinceEpoch
    }
    var language: String { study.language.isEmpty ? "en" : study.language }

    func run(_ script: MerlinScript) -> MerlinRun {
        let globals =
            if case .text(let text)? = facts.variables[Self.globals] { MerlinValue(json: text) } else {
                MerlinValue?.none
            }
        return script.run(in: self, globals: globals ?? .object([]), seed: UInt64(bitPattern: now))
    }

    /// The fact in which `globals` are kept over runs, as JSON.
    static let globals = "merlin/globals"
}

/// A page's or an input's `relevance`, or a questionnaire's `scriptFilter`. A script that fails
/// counts as true, as in the app.
struct ESMiraRelevance: Condition {
    let scripts: [MerlinScript]
    let questionnaire: ESMiraQuestionnaire
    let study: ESMiraStudy
    /// Keys of the steps of its page, whose answers the script does not see: the app decides once, when the page
    /// is first shown and none of them is answered (`Page.activeInputs`, ESMira-apps f750e58).
    var unseen: Set<String> = []

    func holds(_ facts: StudyFacts) -> Bool {
        var facts = facts
        for key in unseen { facts.answers[key] = nil }
        let host = ESMiraScriptHost(questionnaire, study, facts)
        return scripts.allSatisfy { host.run($0).result?.isTrue ?? true }
    }
}

/// A text that is made by a script: `textScript`. Where it fails, the input's own text is used.
struct ESMiraText: ComputedText {
    let script: MerlinScript
    let questionnaire: ESMiraQuestionnaire
    let study: ESMiraStudy

    func text(_ facts: StudyFacts) -> String? {
        ESMiraScriptHost(questionnaire, study, facts).run(script).result.map { PlainText(html: $0.text).text }
    }
}

/// A script with what the app calls it in its log.
struct ESMiraScript: Sendable {
    let script: MerlinScript
    let place: String
}

/// What a questionnaire does when it is sent: its `endScriptBlock`, and which question of each
/// changing input (`dynamic_input`) comes next.
struct ESMiraEnding: RunEnding {
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
            if let problem = run.problem { end.logs.append(RunLog(problem, in: other.place)) }
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

/// Which of an input's questions is asked: one after the other, or in an order drawn for each
/// round; the next after each completion.
struct ESMiraTurn: Sendable, Hashable {
    /// The name of the `dynamic_input`.
    let input: String
    /// The study variable that keeps the counter.
    let variable: String
    /// At least one.
    let choices: Int
    let isRandom: Bool

    static func indexKey(_ input: String) -> String { input + "~index" }

    /// The stored counter (`Input.getDynamicInput`, ESMira-apps f750e58). Random: how many questions were asked.
    /// In order: the index of the next one, past the end after the last, or after the study lost questions.
    private func count(_ facts: StudyFacts) -> Int {
        if case .number(let count)? = facts.variables[variable] { Int(count) } else { 0 }
    }

    /// The counter to store once this run has asked its question.
    func count(after facts: StudyFacts) -> Int { (isRandom ? count(facts) : index(facts)) + 1 }

    /// The question of this run. Random: each round of `choices` runs has an order drawn from the enrolment's seed.
    func index(_ facts: StudyFacts) -> Int {
        let count = count(facts)
        guard isRandom else { return count < choices ? count : 0 }
        let seed = (facts.setting?.enrolment.seed ?? []).prefix(8).reduce(UInt64(count / choices)) {
            $0 &* 257 &+ UInt64($1)
        }
        var generator = SplitMix64(seed: variable.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
        return generator.shuffled(Array(0..<choices))[count % choices]
    }
}

/// Holds while it is that question's turn.
struct IsItsTurn: Condition, Hashable {
    let turn: ESMiraTurn
    let index: Int

    func holds(_ facts: StudyFacts) -> Bool { turn.index(facts) == index }
}

extension MerlinValue {
    /// Nil where the text is no JSON.
    fileprivate init?(json text: String) {
        guard let node = try? JSONNode(Array(text.utf8)) else { return nil }
        self.init(node)
    }
}
