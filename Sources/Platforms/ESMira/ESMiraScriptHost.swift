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
        let globals: MerlinValue? =
            if case .text(let text)? = facts.variables[Self.globals] {
                (try? JSONNode(Array(text.utf8))).map { MerlinValue($0) }
            } else { nil }
        return script.run(in: self, globals: globals ?? .object([]), seed: UInt64(bitPattern: now))
    }

    /// The fact in which `globals` are kept over runs, as JSON.
    static let globals = "merlin/globals"
}
