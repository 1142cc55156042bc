// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An input (a question) of a questionnaire, and how its answer is spelled in a dataset.
/// `ESMiraQuestionnaireReader` makes it, and `ESMiraQuestionnaire.fields` asks it for what is sent.
struct ESMiraInput: Sendable, Hashable {
    /// The column at the server.
    let name: String
    let kind: Kind
    let isRequired: Bool
    /// Sent where the input is not required and was not answered.
    let defaultValue: String
    var choices: [String] = []
    /// The list has a last choice for everything else, which asks for a text.
    var hasOther = false
    /// The file's `forceInt`: a choice is sent as its number, a time of day as minutes from midnight.
    var sendsNumber = false
    /// The number of the first choice, where numbers are sent; also where a scale starts.
    var start = 1
    /// The language of the study, in which the app names the last choice.
    var language = ""

    /// How its answer is spelled; `nothing` for an input that has no answer of its own or is not asked here.
    enum Kind: Sendable, Hashable {
        case nothing, whole, decimal, binary, single, multiple, text, date, time, place
        /// A recording, by the number under which its file comes.
        case sound
        case battery, light, noise, compass
    }

    /// For `light` and `compass`: decimals are sent, too; else the number is cut to a whole one.
    var hasDecimals = false

    /// For `place`: the resolution of the H3 cell that is sent, 0 to 15 (the finest).
    var resolution = 0
    /// For a `dynamic_input`: its questions. A run asks one of them, which is sent under this input's name.
    var parts: [ESMiraInput] = []

    func sendsFile(of step: String) -> Bool {
        kind == .sound && name == step || parts.contains { $0.sendsFile(of: step) }
    }

    /// The step that asks what "other" is.
    var otherKey: String { name + "~other" }

    /// A name and a value of the app's dataset: the name is the input's, or the input's with `~` and a key.
    typealias Field = (name: String, value: String)

    /// What is sent for the input: `Input.fillIntoDataSet` and the views of the app (ESMira-apps
    /// f750e58). Everything is text; "" is unanswered.
    func fields(_ answers: Answers) -> [Field] {
        if !parts.isEmpty { return part(answers) }
        guard kind != .nothing, let answer = answers[name], answer != .cleared else {
            return [(name, isRequired ? "" : defaultValue)]
        }
        switch kind {
        case .battery, .light, .noise, .compass: return measured(DeviceReading.figures(answer))
        default: break
        }
        guard case .choices(let chosen) = answer else { return [(name, text(of: answer))] }
        let free = chosen.contains(ESMiraOther.value) ? text(of: answers[otherKey] ?? .cleared) : ""
        return kind == .multiple ? several(chosen, free) : single(chosen.first ?? "", free)
    }

    private func text(of answer: AnswerValue) -> String {
        switch answer {
        case .boolean(let isRight): isRight ? "1" : "0"
        case .number(let number): JSONText.spelling(of: number)
        case .dateTime(let moment): text(of: moment)
        case .text(let text): text
        case .recording(let id): kind == .sound ? String(ESMiraFileUpload.identifier(of: id)) : "voice:" + id
        case .position(let latitude, let longitude):
            H3Cell.text(latitude: latitude, longitude: longitude, resolution: resolution) ?? ""
        default: ""
        }
    }

    /// As `BatteryLevelView`, `AmbientLightView` and `NoiseLevelView` save it.
    private func measured(_ figures: [Double]) -> [Field] {
        guard let first = figures.first else { return [(name, "")] }
        // A second or third figure, sent as `name~key`.
        func more(_ place: Int, _ key: String, _ text: (Double) -> String) -> [Field] {
            figures.indices.contains(place) ? [("\(name)~\(key)", text(figures[place]))] : []
        }
        func hundredths(_ value: Double) -> String {
            KotlinNumber.text((value * 100).rounded(.toNearestOrEven) / 100)
        }
        func whole(_ value: Double) -> String { String(Int(exactly: value.rounded(.towardZero)) ?? 0) }
        return switch kind {
        case .battery: [(name, whole(first))] + more(1, "charging", whole)
        // Kotlin's Float and Swift's are spelled alike from 0.001 to 10 million.
        case .compass: [(name, hasDecimals ? "\(Float(first))" : whole(first))]
        case .noise: [(name, hundredths(first))] + more(1, "min", hundredths) + more(2, "max", hundredths)
        default: [(name, hasDecimals ? KotlinNumber.text(first) : whole(first))]
        }
    }

    private func text(of moment: LocalDateTime) -> String {
        if kind == .time {
            let minutes = moment.time.hour * 60 + moment.time.minute
            return sendsNumber ? String(minutes) : (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2)
        }
        return "\(moment.date)"
    }

    /// The part that was asked, sent under this input's name, and its index. The index is known at the end
    /// of a run (`ESMiraEnding`); until then it is the part with an answer. Unanswered where none was asked.
    private func part(_ answers: Answers) -> [Field] {
        let index =
            if case .number(let number)? = answers[ESMiraTurn.indexKey(name)] { Int(number) } else {
                parts.firstIndex { answers[$0.name] != nil } ?? -1
            }
        guard parts.indices.contains(index) else { return [(name, isRequired ? "" : defaultValue)] }
        let part = parts[index]
        return part.fields(answers).map { (name + $0.name.dropFirst(part.name.count), $0.value) }
            + [(ESMiraTurn.indexKey(name), String(index))]
    }

    /// The choice that was made, as its text or as its number.
    private func single(_ chosen: String, _ free: String) -> [Field] {
        let isOther = chosen == ESMiraOther.value
        let place = isOther ? choices.count : choices.firstIndex(of: chosen)
        let value = sendsNumber ? place.map { String(start + $0) } ?? "" : isOther ? "other" : chosen
        return [(name, value), (otherKey, free)]
    }

    /// All chosen texts, then 1 or 0 for each choice: by its text (the app's old format) and by its position
    /// from 1 (the new one).
    private func several(_ chosen: [String], _ free: String) -> [Field] {
        let isOther = chosen.contains(ESMiraOther.value)
        let ticked = choices.filter(chosen.contains) + (isOther ? [ESMiraOther.word(in: language)] : [])
        var fields: [Field] = [(name, ticked.joined(separator: ", "))]
        for choice in choices { fields.append(("\(name)~\(choice)", chosen.contains(choice) ? "1" : "0")) }
        for (index, choice) in choices.enumerated() {
            fields.append(("\(name)~\(index + 1)", chosen.contains(choice) ? "1" : "0"))
        }
        if hasOther { fields += [(otherKey, isOther ? "1" : "0"), (otherKey + "_text", free)] }
        return fields
    }
}
