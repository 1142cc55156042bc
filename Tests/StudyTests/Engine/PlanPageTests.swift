// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Weekdays as `date -d 2026-03-02 +%A` of GNU coreutils gives them, the month as `cal -m 3 2026`
/// of util-linux draws it.
@Suite struct PlanPageTests {
    private func page() -> PlanPage {
        let tasks = [
            Sample.task("morning", at: [0, 24 * 60], timeout: 60),
            Sample.task("night", at: [13 * 60 + 30], timeout: 60),
        ]
        let study = Sample.study(tasks)
        let lines = Planner(study: study, context: Sample.context()).lines()
        return PlanPage(lines, of: study, zone: .utc)
    }

    @Test func eachDayHasItsHeadingAndTimesHaveNoSeconds() {
        #expect(
            page().text == """
                Monday 2 March 2026
                  10:00–11:00        morning (morning/1)  [before enrolment]
                  23:30–3 Mar 00:30  night (night/1)

                Tuesday 3 March 2026
                  10:00–11:00        morning (morning/2)

                Total: 3 on 2 days, 1 to 2 a day
                  2      morning
                  1      night
                [before enrolment]: due before the participant joined, so it is not prompted; it may still be open to do.

                """)
    }

    @Test func theCalendarIsThatOfTheMonth() {
        let lines = page().calendar.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "March 2026")
        #expect(lines[1] == " Mon      Tue      Wed      Thu      Fri      Sat      Sun")
        // 1 March 2026 is a Sunday.
        #expect(lines[2] == String(repeating: " ", count: 55) + " 1")
        #expect(lines[3].hasPrefix("  2: 2     3: 1     4 "))
        #expect(lines[7].split(separator: " ") == ["30", "31"])
    }

    @Test func aPlanWithoutAnythingSaysSo() {
        let page = PlanPage([], of: Sample.study([]), zone: .utc)
        #expect(page.text == "nothing is due\n" && page.calendar == "nothing is due\n")
    }
}
