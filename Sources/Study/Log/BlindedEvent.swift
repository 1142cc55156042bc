// SPDX-License-Identifier: Apache-2.0

extension StudyEvent {
    /// The event as `studyd history` gives it to people who must not learn which arm or prompts chance has
    /// drawn, without what tells it; nil where the presence of the event would tell it. A new kind of event
    /// must be judged here.
    package var blinded: StudyEvent? {
        switch self {
        case .decided, .raised, .drawn: return nil
        case .enrolled(var record):
            (record.seed, record.condition) = ("", nil)
            return .enrolled(enrolment: record)
        case .prompted(let occurrence), .concluded(let occurrence, _): return Self.isOfRule(occurrence.id) ? nil : self
        case .presented(let id), .promptPutOff(let id): return Self.isOfRule(id) ? nil : self
        case .runOpened(_, _, let id): return id.map(Self.isOfRule) ?? false ? nil : self
        case .submitted(_, _, let submission): return Self.isOfRule(submission.occurrenceID) ? nil : self
        // Variables that say what happened to a treated point carry the rule's name, or the task's.
        case .variableSet(let name, _): return Self.isOfRule(name) || StudyFacts.isTimestamp(name) ? nil : self
        case .occurrencesReturned(let ids): return .occurrencesReturned(occurrences: ids.filter { !Self.isOfRule($0) })
        default: return self
        }
    }

    /// Whether the id of an occurrence, or the name of a variable, belongs to a prompt that a rule raised. Such a
    /// prompt exists only where chance drew it.
    package static func isOfRule(_ occurrence: String) -> Bool { occurrence.contains("/rule.") }
}
