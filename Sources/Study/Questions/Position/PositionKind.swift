// SPDX-License-Identifier: Apache-2.0
import Base

/// Where the participant is, as the board's GPS receiver measures it. `AnswerFormat.kind` makes it.
struct PositionKind: QuestionKind {
    func machine(in context: QuestionContext) -> any QuestionMachine { ReadingQuestion() }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(PositionPhrases.howTo, panel.pressing(.next, in: words))
    }

    func refusal(on panel: Panel) -> String? {
        panel.hasPosition
            ? nil : "it needs the participant's position, and the board has no GPS receiver; add a [position] table"
    }

    func spoken(on panel: Panel) -> [Said] { [.device(PositionPhrases.unknown)] }

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        let parts = (value.text ?? "").split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.filter { $0 != " " })
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], abs(latitude) <= 90,
            abs(longitude) <= 180
        else { throw WantedError(value: value, expected: "degrees such as \"51.5,-0.12\"") }
        return .answer(.position(latitude: latitude, longitude: longitude))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.position(latitude: 0, longitude: 0)) }
}

enum PositionPhrases {
    /// Said where there is no fix.
    static let unknown = Phrase("The location is not known")
    static let howTo = Phrase("{0} to record the device's location")
}
