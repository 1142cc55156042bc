// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension MyStudiesActivity {
    private static let neverShown = "shown only through a destination: it is hidden, and no question leads to it"

    static func isHidden(_ place: JSONPlace) -> Bool { place.member("defaultVisibility")?.boolean == false }

    mutating func recordHidden(_ known: [(place: JSONPlace, key: String)]) {
        for (place, key) in known {
            let members = (place.member("steps")?.elements ?? []).filter(\.isObject)
            for member in [place] + members { sources[member.member("key")?.text ?? key] = member }
        }
        for (place, key) in known where Self.isHidden(place) {
            guard let source = place.member("sourceQuestionKey")?.text, !source.isEmpty else { continue }
            hidden[source, default: []].append(place)
            if sources[source] != nil, let value = place.member("preLoadLogic")?.member("value")?.text, !value.isEmpty {
                reachable.insert(key)
            }
        }
    }

    /// A hidden step is shown only where an answer leads to it.
    mutating func visibility(_ place: JSONPlace, _ key: String) -> (any Condition)? {
        guard Self.isHidden(place) else { return nil }
        if !reachable.contains(key) { findings.assume(Self.neverShown, at: place) }
        return NeverShown()
    }

    /// Where the answer to a question leads by the logic of the hidden steps that look at it.
    mutating func preloads(
        _ key: String, answeredAs answer: String, _ format: AnswerFormat, _ place: JSONPlace
    ) -> [Jump] {
        let isInterval = place.member("resultType")?.text == "timeInterval"
        var jumps: [Jump] = []
        for place in hidden[key] ?? [] {
            guard let logic = place.member("preLoadLogic"), logic.isObject,
                let rule = MyStudiesLogic(
                    logic, source: answer, format: format, isInterval: isInterval, findings: &findings)
            else { continue }
            if let to = elsewhere(logic) ?? preload(logic, ["destinationStepKey", "destinationTrueStepKey"], key) {
                jumps.append(Jump(when: rule, to: to))
            }
            if let to = preload(logic, ["destinationFalseStepKey"], key) {
                jumps.append(Jump(when: Negation(rule), to: to))
            }
        }
        return jumps
    }

    /// Another activity, where the logic names one.
    private func elsewhere(_ logic: JSONPlace) -> Jump.Destination? {
        guard let task = (logic.member("activityId") ?? logic.member("activityid"))?.text, !task.isEmpty,
            task != ownID
        else { return nil }
        let step = (logic.member("destinationStepKey") ?? logic.member("destinationTrueStepKey"))?.text ?? ""
        return step == "0" ? .end : .task(task, step: step.isEmpty ? nil : step)
    }

    var ownID: String? { place.member("metadata")?.member("activityId")?.text }

    private mutating func preload(_ logic: JSONPlace, _ keys: [String], _ key: String) -> Jump.Destination? {
        for name in keys {
            guard let child = logic.member(name), let text = child.text, !text.isEmpty else { continue }
            if text == "0" { return .end }
            if positions[text] != nil { return target(name, in: logic, from: key) }
            findings.assume("leads to no step of this activity, and is not followed", at: child)
        }
        return nil
    }

    /// In a form nothing is led to: a hidden question is asked while its own logic holds, which
    /// looks at a question of the same round, or at one that stands by itself.
    mutating func formVisibility(
        _ place: JSONPlace, in form: JSONPlace, key: String, round: Int, again: (any Condition)?
    ) -> (any Condition)? {
        guard Self.isHidden(place) else { return again }
        guard let rule = formLogic(place, in: form, key: key, round: round) else {
            if round == 1 { findings.assume(Self.neverShown, at: place) }
            return NeverShown()
        }
        if round == 1 { findings.assume("asked while its logic holds, because it is in a form", at: place) }
        return again.map { Both($0, rule) } ?? rule
    }

    private mutating func formLogic(
        _ place: JSONPlace, in form: JSONPlace, key: String, round: Int
    ) -> (any Condition)? {
        guard let name = place.member("sourceQuestionKey")?.text, let source = sources[name],
            let logic = place.member("preLoadLogic"), logic.isObject
        else { return nil }
        // What is wrong with the question itself is noted where it is asked.
        var reading = MyStudiesQuestion(source, language: options.language, findings: Findings())
        guard let format = reading.format() else { return nil }
        let isMember = (form.member("steps")?.elements ?? []).contains { $0.member("key")?.text == name }
        return MyStudiesLogic(
            logic, source: isMember ? MyStudiesKeys.question(name, of: key, round: round) : name, format: format,
            isInterval: source.member("resultType")?.text == "timeInterval", findings: &findings)
    }
}
