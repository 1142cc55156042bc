// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// What a scripted participant may enter: both limits belong to the numbers (`minimum` and `maximum`
/// of a study's file are inclusive), and so does every digit that the question has.
struct NumberKindLimitsTests {
    private func enters(_ number: String, _ format: NumberFormat) throws -> Wanted {
        let file = #"{"answers":{"q":\#(number)},"otherwise":"skip"}"#
        let participant = try Participant(json: Array(file.utf8))
        var generator = SplitMix64(seed: 1)
        return try participant.wanted(
            ParticipantTests.step(.number(format)), turn: 0, now: PanelFixtures.now, using: &generator)
    }

    @Test(arguments: [("-2", -2), ("-1", -1), ("0", 0), ("41", 41), ("42", 42)] as [(String, Double)])
    func aNumberFromTheLeastToTheGreatestIsEntered(number: String, value: Double) throws {
        let format = NumberFormat(minimum: -2, maximum: 42, maximumFractionDigits: 0)
        #expect(try enters(number, format) == .answer(.number(value)))
    }

    @Test(arguments: ["-3", "43", "1.5"]) func aNumberBeyondThemIsRefused(number: String) {
        let format = NumberFormat(minimum: -2, maximum: 42, maximumFractionDigits: 0)
        let error = #expect(throws: ParticipantError.self) { try enters(number, format) }
        #expect(error.map { "\($0)".contains("a whole number from -2 up to 42") } == true, "\(error as Any)")
    }

    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func theYearInWhichItIsAskedIsTheLast(later: Int, isEntered: Bool) {
        let year = PanelFixtures.now.date.components.year + later
        let format = NumberFormat(minimum: 1_900, maximum: 2_100, maximumFractionDigits: 0, yearLimits: [.maximum])
        #expect(((try? enters("\(year)", format)) != nil) == isEntered)
        var question = NumberKind(format: format).machine(
            in: QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: ""))
        // The ring: done, 1 to 9, 0.
        for digit in "\(year)".compactMap(\.wholeNumberValue) {
            for _ in 0..<(digit == 0 ? 10 : digit) { _ = question.handle(.gesture(.next, repeats: 0)) }
            _ = question.handle(.gesture(.select, repeats: 0))
        }
        let answered = QuestionEffect.answered(.number(Double(year)))
        #expect(question.handle(.gesture(.select, repeats: 0)).first == (isEntered ? answered : .say(.refused)))
    }

    @Test(arguments: [(1, "0.5", true), (1, "0.25", false), (2, "0.25", true), (0, "1000000", true)])
    func everyDigitAfterThePointCounts(digits: Int, number: String, isEntered: Bool) {
        let format = NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: digits)
        #expect(((try? enters(number, format)) != nil) == isEntered)
    }
}
