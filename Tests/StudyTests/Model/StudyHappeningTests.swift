// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct StudyHappeningTests {
    @Test(arguments: [("walk", 0), ("walk", 12), ("a.b", 3), ("rule", 1)])
    func aPointOfARuleIsReadFromItsName(rule: String, index: Int) {
        let decision = StudyHappening.Name.treated(rule, index).decision
        #expect(decision?.rule == rule && decision?.index == index)
    }

    @Test(arguments: [
        "submitted", "prompted", "noticed.3", "noticed.end.3", "rule", "rule.", "rule.walk", "rule.walk.",
        "rule.walk.x",
    ])
    func whatNoRuleRaisedHasNoPoint(name: String) {
        #expect(StudyHappening.Name(rawValue: name).decision == nil)
    }
}
