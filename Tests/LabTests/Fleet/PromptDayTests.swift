// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct PromptDayTests {
    private func prompt(_ due: String, _ outcome: String, _ reason: String? = nil, ended: String? = nil)
        -> PromptOutcome
    {
        PromptOutcome(
            occurrence: due, task: "t", due: due, outcome: outcome, reason: reason, presented: nil, ended: ended)
    }

    /// Half past midnight in Berlin is the evening before in UTC.
    @Test func aDayIsThatOfTheParticipantsClock() {
        let days = PromptDay.days(
            [prompt("2026-11-25T00:30:00.000+01:00", "completed"), prompt("2026-11-25T23:30:00.000+01:00", "expired")],
            late: .seconds(900))
        #expect(days.map(\.day.description) == ["2026-11-25"])
        #expect(days.first?.over == 2 && days.first?.unanswered == ["expired": 1])
    }

    @Test(arguments: [("10:15:00.000", 0), ("10:15:00.001", 1), ("12:00:00.000", 1)])
    func lateIsLongerThanIsAskedFor(ended: String, late: Int) {
        let one = prompt("2026-11-25T10:00:00.000+01:00", "completed", ended: "2026-11-25T\(ended)+01:00")
        #expect(PromptDay.days([one], late: .seconds(900)).first?.late == late)
    }

    /// It ended before it was due: the clock was set back meanwhile.
    @Test(arguments: [("10:00:00.000", .zero), ("09:59:59.999", nil)] as [(String, Duration?)])
    func aNegativeDelayIsNotKnown(ended: String, delay: Duration?) {
        let one = prompt("2026-11-25T10:00:00.000+01:00", "completed", ended: "2026-11-25T\(ended)+01:00")
        #expect(one.delay == delay)
    }

    @Test(
        arguments: [
            ("completed", nil, 1, 0, 0), ("expired", nil, 1, 0, 0), ("declined", nil, 1, 0, 0),
            ("interrupted", nil, 1, 0, 0),
            ("missed", "device-off", 1, 1, 0), ("missed", "clock-unknown", 1, 1, 0),
            ("missed", "not-worn", 1, 1, 0), ("missed", "prompts-off", 1, 1, 0), ("missed", "busy", 1, 1, 0),
            ("missed", "before-enrolment", 0, 0, 1),
            ("missed", "study-paused", 0, 0, 1), ("missed", "deleted", 0, 0, 1), ("missed", "replaced", 0, 0, 1),
            ("completed", "not-signalled", 0, 0, 1), ("expired", "not-signalled", 0, 0, 1),
        ] as [(String, String?, Int, Int, Int)])
    func eachEndCountsOnce(outcome: String, reason: String?, over: Int, missed: Int, notAsked: Int) {
        let day = PromptDay.days([prompt("2026-11-25T10:00:00.000+01:00", outcome, reason)], late: .seconds(900)).first
        #expect(day?.over == over && day?.missed == missed && day?.notAsked == notAsked)
    }

    /// Of the participant's devices, or of several days: the day is the first one's.
    @Test func everythingOfTwoDaysIsAddedUp() throws {
        let (first, second) = (try LocalDate(parsing: "2026-11-21"), try LocalDate(parsing: "2026-11-22"))
        let one = PromptDay(
            day: first, answered: 3, late: 1, unanswered: ["expired": 2, "missed/device-off": 1], notAsked: 4)
        let other = PromptDay(
            day: second, answered: 10, late: 5, unanswered: ["expired": 20, "declined": 30], notAsked: 50)
        let sum = one + other
        #expect(
            sum
                == PromptDay(
                    day: first, answered: 13, late: 6,
                    unanswered: ["expired": 22, "missed/device-off": 1, "declined": 30], notAsked: 54))
        #expect(sum.over == 66 && sum.missed == 1 && one + PromptDay(day: second) == one)
    }

    @Test func theLatestDayIsLastAndOnlyTheLatestAreLookedAt() throws {
        let now = try Instant(rfc3339: "2026-11-25T12:00:00Z")
        let days = PromptDay.days(
            ["25", "12", "11", "20"].map { prompt("2026-11-\($0)T10:00:00.000+01:00", "completed") }, late: .zero)
        #expect(days.map(\.day.components.day) == [11, 12, 20, 25])
        #expect(Participants.latest(days, 14, at: now).map(\.day.components.day) == [12, 20, 25])
        #expect(Participants.latest(days, 1, at: now).map(\.day.components.day) == [25])
        #expect(Participants.latest(days, nil, at: now).count == 4)
    }
}
