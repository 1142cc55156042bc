// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct NumberQuestionTests {
    private static func question(_ text: String, _ format: NumberFormat) -> NumberQuestion? {
        var question = NumberQuestion(format, layout: .three)
        for key in text {
            var told: [QuestionEffect] = []
            for _ in 0..<16 where told != [.say(.position(String(key)))] {
                told = question.handle(.gesture(.next, repeats: 0))
            }
            guard told == [.say(.position(String(key)))] else { return nil }
            _ = question.handle(.gesture(.select, repeats: 0))
        }
        return question
    }

    /// JSON Schema 2020-12, `minimum` and `maximum`: both are inclusive. What is refused is read back, and
    /// can be mended.
    @Test(arguments: [
        ("-3", false), ("-2.5", true), ("-2.6", false), ("0", true), ("24", true), ("24.1", false), ("25", false),
        ("24.0", true),
    ])
    func aNumberIsAnsweredUpToItsLimits(_ text: String, _ isTaken: Bool) throws {
        let format = NumberFormat(minimum: -2.5, maximum: 24, maximumFractionDigits: 1)
        var question = try #require(Self.question(text, format), "\(text) cannot be entered")
        let told = question.handle(.gesture(.select, repeats: 0))
        let number = try #require(Double(text))
        #expect(told == (isTaken ? [.answered(.number(number))] : [.say(.refused), .say(.value(text))]))
        guard !isTaken else { return }
        for _ in text { #expect(question.handle(.gesture(.undo, repeats: 0)).first == .say(.undone)) }
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.back])
    }

    @Test func aSignAloneIsNoNumber() throws {
        let format = NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 0)
        var question = try #require(Self.question("-", format))
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.say(.refused), .say(.value("-"))])
        #expect(Self.question("-", NumberFormat(minimum: 0, maximum: 9, maximumFractionDigits: 0)) == nil)
        #expect(Self.question("1.", format) == nil, "a whole number has no point")
    }

    /// Nothing entered leaves it out; entered and taken away again is an answer of its own.
    @Test func whatIsTakenAwayAgainIsCleared() throws {
        let format = NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 0)
        var none = try #require(Self.question("", format))
        #expect(none.handle(.gesture(.select, repeats: 0)) == [.leftOut])
        var cleared = try #require(Self.question("7", format))
        #expect(cleared.handle(.gesture(.undo, repeats: 0)) == [.say(.undone)])
        #expect(cleared.handle(.gesture(.select, repeats: 0)) == [.answered(.cleared)])
    }
}
