// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct RuleExpressionTests {
    private static func features() throws -> [RuleFeature] {
        try RuleSample.read(
            RuleSample.move + """
                [feature.tilt]
                from = "accelerometer"
                is = "anglez"
                [feature.still]
                from = "accelerometer"
                is = "enmo"
                [feature.place]
                from = "position"
                is = "visits"
                reduce = "last-dwell"
                [rule.r]
                task = "a"
                every = "1h"
                probability = 0.5
                """
        ).features
    }

    private static func parse(_ text: String, spans: Bool = true) throws -> RuleExpression {
        try RuleExpressionParser.parse(text, features(), allowsSpans: spans)
    }

    /// Values of move; nil = unknown.
    private static func value(_ text: String, _ move: Double?, place: Double? = nil) throws -> Truth {
        let names = try features().map(\.name)
        var memory = SpanMemory(0, step: .seconds(60))
        return try parse(text).value(
            { names[$0] == "move" ? move : names[$0] == "place" ? place : nil }, at: .epoch, &memory)
    }

    /// Kleene 1952, §64: the strong connectives.
    @Test func truthTablesAreKleenes() {
        let (t, u, f) = (Truth.yes, Truth.unknown, Truth.no)
        #expect([t & t, t & u, t & f, u & u, u & f, f & f] == [t, u, f, u, f, f])
        #expect([t | t, t | u, t | f, u | u, u | f, f | f] == [t, t, t, u, u, f])
        #expect([!t, !u, !f] == [f, u, t])
        for one in [t, u, f] {
            for other in [t, u, f] { #expect((one & other, one | other) == (other & one, other | one)) }
        }
    }

    private static let limits: [(String, Double?, Truth)] = [
        ("move < 5", 4, Truth.yes), ("move < 5", 5, .no), ("move <= 5", 5, .yes), ("move > 5", 5, .no),
        ("move >= 5", 5, .yes), ("move == 5", 5, .yes), ("move != 5", 5, .no), ("move < 5", nil, .unknown),
        ("not move < 5", nil, .unknown), ("move<5 or move>9", 10, .yes), ("move < 5 and move > 9", 10, .no),
        ("not (move < 5 or move > 9)", 7, .yes), ("not not move == 7", 7, .yes), ("move > -1.5", 0, .yes),
    ]

    @Test(arguments: limits)
    func comparisonsAtTheirLimits(text: String, move: Double?, truth: Truth) throws {
        #expect(try Self.value(text, move) == truth)
    }

    /// `and` binds closer than `or`, and `not` than either.
    @Test func bindingIsAsInArithmetic() throws {
        #expect(try Self.value("move == 1 or move == 2 and move == 3", 1) == .yes)
        #expect(try Self.value("(move == 1 or move == 2) and move == 3", 1) == .no)
        #expect(try Self.value("not move == 1 and move == 2", 2) == .yes)
    }

    @Test func unitsAreThoseOfTheColumn() throws {
        #expect(try Self.parse("still < 50mg").root == Self.parse("still < 0.05g").root)
        #expect(try Self.parse("place > 5m").root == Self.parse("place > 300s").root)
        #expect(try Self.value("place > 5m", nil, place: 301) == .yes)
    }

    @Test(arguments: [
        ("", "ends where a feature is expected"), ("mov < 5", "there is no feature 'mov'"),
        ("move", "ends where a comparison is expected"), ("move < ", "ends where a number is expected"),
        ("move = 5", "'=' is no comparison"), ("move < five", "'five' is no number"),
        ("move < 5 move", "'move' is not expected there"), ("(move < 5", "a '(' is not closed"),
        ("move < 5mg", "move is in 1, and '5mg' has the unit mg"), ("tilt < 5", "tilt is in deg, and '5' has no unit"),
        ("tilt < 5g", "tilt is in deg, and '5g' has the unit g"), ("still < 5", "still is in g, and '5' has no unit"),
        ("move < 5 for 0s", "'0s' is not a duration from 1s to 24h"),
        ("move < 5 for 25h", "'25h' is not a duration from 1s to 24h"),
        ("move < 5; drop", "';' means nothing in a condition"),
    ])
    func mistakesAreNamed(text: String, cause: String) {
        #expect { try Self.parse(text) } throws: { ($0 as? RuleExpressionParser.Failure)?.cause == cause }
    }

    @Test func sizeAndDepthAreBounded() throws {
        let many = { Array(repeating: "move<5", count: $0).joined(separator: " or ") }
        _ = try Self.parse(many(50))
        #expect(throws: RuleExpressionParser.Failure.self) { try Self.parse(many(51)) }
        let deep = { String(repeating: "(", count: $0) + "move<5" + String(repeating: ")", count: $0) }
        _ = try Self.parse(deep(15))
        #expect(throws: RuleExpressionParser.Failure.self) { try Self.parse(deep(16)) }
        #expect(throws: RuleExpressionParser.Failure.self) {
            try Self.parse(String(repeating: "not ", count: 120) + "move<5")
        }
        #expect(throws: RuleExpressionParser.Failure.self) { try Self.parse("move < 5 for 5m", spans: false) }
    }

    /// Looked at each minute; the fourth is the first at which three of them were true.
    @Test func aSpanNeedsEveryMomentOfItsLength() {
        func run(_ seen: [Truth]) -> [Truth] {
            var memory = SpanMemory(1, step: .seconds(60))
            return seen.enumerated().map { minute, truth in
                let time = Sample.after(minute)
                memory.begin(at: time)
                return memory.evaluate(truth, for: .seconds(180), 0, at: time)
            }
        }
        #expect(run([.yes, .yes, .yes]) == [.unknown, .unknown, .yes])
        #expect(run([.no, .yes, .yes, .yes]) == [.no, .no, .no, .yes])
        #expect(run([.unknown, .yes, .yes, .yes]) == [.unknown, .unknown, .unknown, .yes])
        #expect(run([.unknown, .no, .yes]) == [.unknown, .no, .no])
    }
}
