// SPDX-License-Identifier: Apache-2.0
import Base

/// An answer in a `ResultTree`, as SageResearch's clients write it: `answerType`, and `value` unless nothing
/// was answered.
struct ResultAnswer {
    let members: [JSONText.Member]

    init(_ value: AnswerValue?, to step: Step) {
        members = JSONText.members([
            "answerType": Self.type(of: step.format), "value": value.map { Self.json($0, of: step.format) },
        ])
    }

    private static func type(of format: AnswerFormat) -> JSONText {
        func named(_ name: String, _ more: JSONText.Member...) -> JSONText {
            .object([.init("type", .string(name))] + more)
        }
        return switch format {
        case .yesNo: named("boolean")
        case .choice(let choice) where choice.isMultiple: named("array", .init("baseType", .string("string")))
        case .slider, .number, .countdown, .reading(.ambient): named("number")
        case .dateTime(.date, _): named("date-time", .init("codingFormat", .string("yyyy-MM-dd")))
        case .dateTime(.time, _): named("date-time", .init("codingFormat", .string("HH:mm:ss")))
        case .dateTime: named("date-time", .init("codingFormat", .string("yyyy-MM-dd'T'HH:mm:ss")))
        case .active, .position: named("object")
        default: named("string")
        }
    }

    private static func json(_ value: AnswerValue, of format: AnswerFormat) -> JSONText {
        switch value {
        case .boolean(let answer): .boolean(answer)
        case .choices(let values): choices(values, of: format)
        case .number(let number): .number(number)
        case .cleared: .null
        case .dateTime(let local): dateTime(local, format)
        case .text(let text): .string(text)
        case .recording(let id): .string(id)
        case .position(let latitude, let longitude):
            .object([.init("latitude", .number(latitude)), .init("longitude", .number(longitude))])
        case .performance(let performance): .object(performance.record.fields)
        }
    }

    private static func choices(_ values: [String], of format: AnswerFormat) -> JSONText {
        guard case .choice(let choice) = format, choice.isMultiple else {
            return values.first.map { .string($0) } ?? .null
        }
        return .array(values.map { .string($0) })
    }

    private static func dateTime(_ local: LocalDateTime, _ format: AnswerFormat) -> JSONText {
        switch format {
        case .dateTime(.date, _): .string("\(local.date)")
        case .dateTime(.time, _): .string(local.time.text(fractionDigits: 0))
        default: .string(local.text(fractionDigits: 0))
        }
    }
}
