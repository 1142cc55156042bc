// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// An answer as schema's app would put it into `responses`: `SchemaWriter` sends it, `SchemaBranch` and
/// `MomentumBranch` compare it with their rules.
package struct SchemaAnswer: Sendable, Hashable {
    package let json: JSONText

    /// Replaces a photograph, which momenTUM's app sends as a `data:` address.
    static let noCamera = "no photo: the device has no camera"

    /// The spelling of `value`; an unanswered question is `""`.
    package init(_ value: AnswerValue?, to format: AnswerFormat, in zone: Zone, isMomentum: Bool = false) {
        json = value.map { Self.spelling($0, format, zone, isMomentum) } ?? Self.nothing(format, isMomentum)
    }

    /// Unanswered. For a list of several options momenTUM's app has an empty array; schema's has the same code, but
    /// never reaches it, because it compares `radio` with a text (`survey.page.ts`, `setupQuestionVariables`, of
    /// momenTUM-app e14a806 and schema 45fd178).
    private static func nothing(_ format: AnswerFormat, _ isMomentum: Bool) -> JSONText {
        switch format {
        case .media(let media) where media.kind == .photo: .string(noCamera)
        case .choice(let choice) where isMomentum && choice.isMultiple: .array([])
        default: .string("")
        }
    }

    private static func spelling(
        _ value: AnswerValue, _ format: AnswerFormat, _ zone: Zone, _ isMomentum: Bool
    ) -> JSONText {
        switch value {
        case .boolean(let flag): boolean(flag, format)
        case .choices(let ticked): choices(ticked, format)
        case .number(let number): spelling(number, format, isMomentum)
        case .cleared: isMomentum ? .string("") : .null
        case .dateTime(let local): .string(moment(local, zone, isMomentum))
        case .text(let text): .string(text)
        case .recording(let id): .string("voice:" + id)
        // schema has no other active tasks, and no positions.
        case .performance(let performance): (performance.record as? VigilanceRecord).map { .string($0.text) } ?? .null
        case .position: .null
        }
    }

    /// Whatever was asked for, the app sends a whole local date-time with its offset. momenTUM's has a
    /// picker that knows no zone and no seconds (its @ionic/core 7.3.2, `convertDataToISO`).
    private static func moment(_ local: LocalDateTime, _ zone: Zone, _ isMomentum: Bool) -> String {
        if isMomentum { return local.text(fractionDigits: 0).dropLast(2) + "00" }
        return ZonedText(zone.resolve(local).instant, in: zone).description
    }

    /// momenTUM's app sends a typed number as a text: it binds the input's `type`, and for such an input Angular gives
    /// a text (e14a806, `survey.page.html`:58; angular/angular#13243).
    private static func spelling(_ number: Double, _ format: AnswerFormat, _ isMomentum: Bool) -> JSONText {
        guard isMomentum, case .number = format else { return .number(number) }
        return .string(JSONText.spelling(of: number))
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
