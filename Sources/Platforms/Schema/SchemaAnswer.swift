// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An answer as schema's app would put it into `responses`.
package struct SchemaAnswer: Sendable, Hashable {
    package let json: JSONText

    /// Replaces a photograph, which momenTUM's app sends as a `data:` address.
    static let noCamera = "no photo: the device has no camera"

    /// The spelling of `value`; an unanswered question is `""`.
    package init(_ value: AnswerValue?, to format: AnswerFormat, in zone: Zone) {
        json = value.map { Self.spelling($0, format, zone) } ?? .string(Self.nothing(format))
    }

    private static func nothing(_ format: AnswerFormat) -> String {
        if case .media(let media) = format, media.kind == .photo { noCamera } else { "" }
    }

    private static func spelling(_ value: AnswerValue, _ format: AnswerFormat, _ zone: Zone) -> JSONText {
        switch value {
        case .boolean(let flag): boolean(flag, format)
        case .choices(let ticked): choices(ticked, format)
        case .number(let number): .number(number)
        case .cleared: .null
        // Whatever was asked for, the app sends a whole local date-time with its offset.
        case .dateTime(let local): .string(ZonedText(zone.resolve(local).instant, in: zone).description)
        case .text(let text): .string(text)
        case .recording(let id): .string("voice:" + id)
        // schema has no other active tasks, and no positions.
        case .performance(let performance): (performance.record as? VigilanceRecord).map { .string($0.text) } ?? .null
        case .position: .null
        }
    }

    private static func boolean(_ flag: Bool, _ format: AnswerFormat) -> JSONText {
        guard case .yesNo(let yes, let no) = format else { return .boolean(flag) }
        return .string(flag ? yes : no)
    }

    private static func choices(_ ticked: [String], _ format: AnswerFormat) -> JSONText {
        guard case .choice(let choice) = format, choice.isMultiple else { return .string(ticked.first ?? "") }
        if choice.isModal { return .array(ticked.map(JSONText.string)) }
        return .string(ticked.map { $0 + ";" }.joined())
    }
}
