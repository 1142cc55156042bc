// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Points as `studyd plan` shows them; the enrolment is at 10:00 UTC.
@Suite struct RulePlanTests {
    private static func plan(_ points: String, days: Int? = nil) throws -> RulePlan {
        let end = days.map { "days = \($0)\n" } ?? ""
        let rules = try RuleSample.read("\(end)[rule.r]\ntask = \"a\"\n\(points)\nprobability = 0.5\n")
        return RulePlan(rules, in: try RuleSample.context())
    }

    @Test(arguments: [
        ("every = \"1h\"", 1, 13), ("every = \"1h\"", 84, 83 * 24 + 13),
        ("at = [\"09:00\", \"12:00\"]", 84, 84 * 2 - 1),
        ("event = \"button\"\nrearm = \"10m\"", 84, 0),
    ])
    func allPointsOfTheDaysAreThere(_ points: String, _ days: Int, _ count: Int) throws {
        let plan = try Self.plan(points)
        #expect(plan.points(days: days).points.map(\.index) == Array(1..<(count + 1)))
        #expect(plan.points(days: days).cut.isEmpty)
        #expect(try Self.plan(points, days: days).points(days: 36_500).points.count == count, "the rules' own end")
    }

    /// 288 a day: three whole days are 743, because the enrolment is at ten.
    @Test(arguments: [(3, false), (4, true), (36_500, true)]) func aRuleWithMoreThanIsShownIsNamed(
        _ days: Int, isCut: Bool
    ) throws {
        let found = try Self.plan("every = \"5m\"").points(days: days, most: 1_000)
        #expect(found.cut == (isCut ? ["r"] : []))
        #expect(found.points.count == min(1_000, days * 288 - 121))
    }

    /// Ten a day.
    @Test(arguments: [(100, false), (101, true)]) func aRuleWithAsManyAsAreShownIsWhole(
        _ days: Int, isCut: Bool
    ) throws {
        let times = (11...20).map { "\"\($0):00\"" }.joined(separator: ", ")
        let found = try Self.plan("at = [\(times)]").points(days: days, most: 1_000)
        #expect(found.cut == (isCut ? ["r"] : []) && found.points.count == 1_000)
    }
}
