// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct RulePlanTests {
    /// A day has 288 times five minutes: the 100 000th falls into the 348th.
    @Test(arguments: [(2, 13 * 12 + 11 + 288, []), (349, RulePlan.most, ["r"])])
    func aRuleOfMorePointsThanAreListedIsNamed(days: Int, count: Int, cut: [String]) throws {
        let rules = try RuleSample.read("[rule.r]\ntask = \"a\"\nevery = \"5m\"\nprobability = 0.5\n")
        // The enrolment is at 10:00.
        let planned = RulePlan(rules, in: Sample.context()).points(days: days)
        #expect(planned.points.count == count && planned.cut == cut)
        #expect(planned.points.map(\.index).last == count)
    }
}
