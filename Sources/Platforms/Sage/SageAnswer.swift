// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An answer as Sage's clients write it, its type and its value: `SageResults` and `SageWriter` write it,
/// `SageAnswerRules` compares it.
struct SageAnswer {
    /// `{"type":"integer"}`
    let type: JSONText
    /// Nil = nothing was answered, or it was spoken.
    let value: JSONText?

    /// The answer to a question of that field. `answers` are all of the run: the text for "Other" is the
    /// answer to another step.
    init(_ answer: AnswerValue?, to field: SageField, of answers: Answers) {
        type = Self.type(of: field)
        value = answer.flatMap { Self.value($0, field, answers) }
    }

    private static func type(of field: SageField) -> JSONText {
        func named(_ name: String, _ more: [JSONText.Member] = []) -> JSONText {
            .object([.init("type", .string(name))] + more)
        }
        if field.isArray { return named("array", [.init("baseType", .string(base(of: field.kind)))]) }
        return switch field.kind {
        case .boolean, .integer, .number, .string, .object: named(base(of: field.kind))
        case .date(let format): named("date-time", [.init("codingFormat", .string(format))])
        case .time(let format): named("time", [.init("codingFormat", .string(format))])
        case .duration(let units): named("duration", [.init("displayUnits", .array(units.map { .string($0) }))])
        case .measurement(let unit): named("measurement", [.init("unit", .string(unit))])
        }
    }

    private static func base(of kind: SageField.Kind) -> String {
        switch kind {
        case .boolean: "boolean"
        case .integer: "integer"
        case .number, .duration, .measurement: "number"
        case .string, .date, .time: "string"
        case .object: "object"
        }
    }

    private static func value(_ answer: AnswerValue, _ field: SageField, _ answers: Answers) -> JSONText? {
        switch answer {
        case .boolean(let value): return .boolean(value)
        case .choices(let keys): return chosen(keys, field, answers)
        case .number(let number): return Self.number(number * field.scale, field)
        case .cleared, .recording: return nil
        case .dateTime(let local): return .string(text(local, field))
        case .text(let text): return text.isEmpty ? nil : json(ofText: text, field)
        case .position(let latitude, let longitude):
            return .object([.init("latitude", .number(latitude)), .init("longitude", .number(longitude))])
        case .performance(let performance): return .object(performance.record.fields)
        }
    }

    private static func number(_ number: Double, _ field: SageField) -> JSONText {
        if case .integer = field.kind, let whole = Int64(exactly: number.rounded()) { return .integer(whole) }
        return .number(number)
    }

    /// A text as a value of the field's kind; if it is not a number, it is sent as text.
    private static func json(ofText text: String, _ field: SageField) -> JSONText {
        switch field.kind {
        case .string: .string(field.maximumLength.map { String(text.prefix($0)) } ?? text)
        case .integer: Int64(text).map { .integer($0) } ?? .string(text)
        case .number: Double(text).map { .number($0) } ?? .string(text)
        default: .string(text)
        }
    }

    /// The values of the chosen options. A choice without a value, such as "none of these", gives an empty list;
    /// nothing chosen is no answer, nor is "Other" without a text (AssessmentModel-Swift 0d9f9dc,
    /// `ChoiceQuestionViewModel.calculateAnswer`). SageResearch sends an empty list when the last tick was taken off
    /// (stable-2.0 `RSDChoicePickerTableItemGroup.select`, stable-3 `QuestionTableItemGroup.buildAnswer`).
    private static func chosen(_ keys: [String], _ field: SageField, _ answers: Answers) -> JSONText? {
        if keys.isEmpty { return field.isArray && field.sendsEmptyList ? .array([]) : nil }
        let isAll = field.isArray && keys.contains { key in field.choices.contains { $0.key == key && $0.isAll } }
        let values = field.choices.filter { choice in
            isAll ? !choice.isExclusive : keys.contains(choice.key)
        }.compactMap(\.value)
        var all = field.isArray ? values : Array(values.prefix(1))
        if let other = field.otherStep, keys.contains(SageField.otherKey), let answer = answers[other] {
            all += [value(answer, SageField(field.kind), answers)].compactMap(\.self)
        }
        if all.isEmpty, field.otherStep != nil, keys == [SageField.otherKey] { return nil }
        return field.isArray ? .array(all) : all.first ?? .null
    }

    /// The recording that answers the question `key`, or the one spoken for "Other"; with the key of the step
    /// that was answered.
    static func recordings(of key: String, _ field: SageField, _ answers: Answers) -> [(key: String, id: String)] {
        if case .recording(let id)? = answers[key] { return [(key, id)] }
        guard let other = field.otherStep, case .choices(let keys)? = answers[key], keys.contains(SageField.otherKey),
            case .recording(let id)? = answers[other]
        else { return [] }
        return [(other, id)]
    }

    /// As text without quotes: a list has commas, null is empty.
    static func plain(_ value: JSONText) -> String {
        switch value {
        case .string(let text): text
        case .array(let values): values.map(plain).joined(separator: ",")
        case .null: ""
        default: value.text
        }
    }

    private static func text(_ local: LocalDateTime, _ field: SageField) -> String {
        switch field.kind {
        case .date(let format), .time(let format): SageDate.text(local, format)
        default: local.text(fractionDigits: 3)
        }
    }
}
