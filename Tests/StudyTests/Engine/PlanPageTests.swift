// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
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

    /// The clocks of Berlin went from 2:00 to 3:00 on 29 March and will from 3:00 to 2:00 on 25 October 2026
    /// (`zdump -v Europe/Berlin`).
    @Test(
        arguments: [
            (3, 29, "02:30", "03:29", "03:30  m/1  [DST: 2:30 to its end does not exist that day, so it is missed]"),
            (3, 29, "02:30", "03:30", "03:30  m/1  [DST: 2:30 to its end does not exist that day, so it is missed]"),
            (3, 29, "02:30", "03:31", "03:30–03:31  m/1  [DST: 2:30 does not exist that day, moved later]"),
            (3, 29, "01:30", "03:30", "01:30–03:30  m/1"),
            (10, 25, "01:30", "02:30", "01:30–02:30  m/1"),
        ])
    func timesOfADayOnWhichTheClocksChange(month: Int, day: Int, from: String, to: String, line: String) throws {
        let zone = try Zone.load("Europe/Berlin")
        func resolve(_ text: String) throws -> (local: LocalDateTime, instant: Instant, Zone.Resolution) {
            let numbers = text.split(separator: ":").compactMap { Int($0) }
            let date = try #require(LocalDate(year: 2026, month: month, day: day))
            let local = LocalDateTime(date, try #require(LocalTime(hour: numbers[0], minute: numbers[1])))
            let (instant, resolution) = zone.resolve(local)
            return (local, instant, resolution)
        }
        let (start, end) = (try resolve(from), try resolve(to))
        #expect(try span(start.local, start.instant, end.instant, start.2, zone) == line)
    }

    @Test(
        arguments: [
            (15, "02:45+02:00–02:00+01:00"), (60, "02:45+02:00–02:45+01:00"), (76, "02:45–03:01"),
        ])
    func whereTheClockIsPutBackInBetweenOffsetsAreThere(minutes: Int, span: String) throws {
        let zone = try Zone.load("Europe/Berlin")
        let due = Instant(seconds: 1_792_889_100)
        let text = try self.span(zone.local(due), due, due + .seconds(60 * minutes), .repeated, zone)
        #expect(text.hasPrefix(span + "  m/1"))
    }

    @Test(arguments: [
        (30, "23:00–23:30"), (60, "23:00–1 Jan 2027 00:00"), (60 * 24 * 366, "23:00–1 Jan 2028 23:00"),
    ])
    func anEndInAnotherYearHasItsYear(minutes: Int, span: String) throws {
        let date = try #require(LocalDate(year: 2026, month: 12, day: 31))
        let start = LocalDateTime(date, try #require(LocalTime(hour: 23, minute: 0)))
        let due = Zone.utc.resolve(start).instant
        let text = try self.span(start, due, due + .seconds(60 * minutes), .unique, .utc)
        #expect(text == span + "  m/1")
    }

    /// A terminal obeys nothing of what a study calls its tasks, and no line of the page is made up by it.
    @Test func namesAreShownAsText() {
        let study = Sample.study([Sample.task("m\u{1B}[2J\nTotal: 0", at: [10 * 60], timeout: 60)])
        let lines = Planner(study: study, context: Sample.context()).lines()
        let text = PlanPage(lines, of: study, zone: .utc).text
        #expect(text.contains(#"m\u001B[2J\u000ATotal: 0"#) && !text.contains("\u{1B}"), "\(text)")
        #expect(text.split(separator: "\n").count { $0.hasPrefix("Total") } == 1)
    }

    /// The line of one occurrence.
    private func span(
        _ local: LocalDateTime, _ due: Instant, _ expires: Instant, _ resolution: Zone.Resolution, _ zone: Zone
    ) throws -> String {
        let occurrence = Occurrence(
            id: "m/1", task: "m", taskIndex: 0, number: 1, local: local, due: due, expires: expires,
            resolution: resolution)
        let page = PlanPage(
            [PlanLine(occurrence, condition: nil, zone: zone)], of: Sample.study([]), zone: zone)
        let line = try #require(page.text.split(separator: "\n").dropFirst().first)
        return String(line.drop { $0 == " " })
    }

    @Test func aPlanWithoutAnythingSaysSo() {
        let page = PlanPage([], of: Sample.study([]), zone: .utc)
        #expect(page.text == "nothing is due\n" && page.calendar == "nothing is due\n")
    }
}
