// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformMyStudies

struct MyStudiesActivityProgressTests {
    static let start = Instant(seconds: 1_800_000_000)

    static func task(sticky: Bool = false) -> StudyTask {
        StudyTask(
            key: "A", index: 0, wireName: "1.0", name: "A", prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: MyStudiesSchedule(
                frequency: MyStudiesFrequency(kind: .daily, start: nil, end: nil, dayRuns: [], runs: [], anchor: nil),
                options: StudyOptions()), isSticky: sticky,
            content: Questionnaire(sections: [], shufflesSections: false, submitText: ""))
    }

    /// One run an hour, each of 50 minutes; `outcomes` in the order of the runs: c(ompleted),
    /// m(issed), - (nothing).
    static func standing(
        _ outcomes: String, atMinute minute: Int, begun: Bool = false, sticky: Bool = false, submissions: Int = 0
    ) -> MyStudiesActivityProgress {
        let runs = outcomes.enumerated().map { index, letter -> (occurrence: Occurrence, outcome: Outcome?) in
            let due = start + .seconds(index * 3_600)
            let run = Occurrence(
                id: "A/\(index + 1)", task: "A", taskIndex: 0, number: index + 1, local: Zone.utc.local(due), due: due,
                expires: due + .seconds(3_000))
            return (run, ["c": Outcome.completed, "m": .expired][letter])
        }
        return MyStudiesActivityProgress(
            TaskRuns(task(sticky: sticky), runs: runs, submissions: submissions, isBegun: begun),
            at: start + .seconds(minute * 60))
    }

    struct Case: Sendable {
        let outcomes: String
        let minute: Int
        let expected: String
        init(_ outcomes: String, _ minute: Int, _ expected: String) {
            (self.outcomes, self.minute, self.expected) = (outcomes, minute, expected)
        }
    }

    static let cases = [
        Case("----", -5, "run 0 of 4, 0 done, 0 missed, yetToJoin"),
        Case("----", 10, "run 1 of 4, 0 done, 0 missed, yetToJoin"),
        Case("c---", 10, "run 1 of 4, 1 done, 0 missed, completed"),
        Case("c---", 55, "run 1 of 4, 1 done, 0 missed, completed"),
        Case("m---", 55, "run 1 of 4, 0 done, 1 missed, abandoned"),
        Case("mc--", 130, "run 3 of 4, 1 done, 1 missed, yetToJoin"),
        Case("mmmm", 500, "run 4 of 4, 0 done, 4 missed, abandoned"),
        Case("cccc", 500, "run 4 of 4, 4 done, 0 missed, completed"),
        // The last run is over, and an earlier one was missed.
        Case("mc", 500, "run 2 of 2, 1 done, 1 missed, abandoned"),
        Case("cm", 500, "run 2 of 2, 1 done, 1 missed, abandoned"),
        // Between two runs the one before counts.
        Case("mc--", 115, "run 2 of 4, 1 done, 1 missed, completed"),
        Case("cm--", 115, "run 2 of 4, 1 done, 1 missed, abandoned"),
        // Up to its end, at minute 50, a run is current.
        Case("-", 0, "run 1 of 1, 0 done, 0 missed, yetToJoin"),
        Case("-", 49, "run 1 of 1, 0 done, 0 missed, yetToJoin"),
        Case("m", 50, "run 1 of 1, 0 done, 1 missed, abandoned"),
        Case("", 10, "run 0 of 0, 0 done, 0 missed, expired"),
    ]

    @Test(arguments: cases)
    func countsAsTheAppsDo(_ test: Case) {
        let standing = Self.standing(test.outcomes, atMinute: test.minute)
        let words =
            "run \(standing.currentRun) of \(standing.total), \(standing.completed) done, \(standing.missed) missed, \(standing.state.rawValue)"
        #expect(words == test.expected, "\(test.outcomes) at \(test.minute)")
    }

    @Test func aRunThatWasOpenedIsInProgress() {
        #expect(Self.standing("----", atMinute: 10, begun: true).state == .inProgress)
    }

    /// Two runs of a version before, one done and one missed; of the present one, numbers 5 and 6 of an hour each.
    @Test(arguments: [
        (110, "run 4, 1 done, 1 missed, abandoned"), (120, "run 5, 1 done, 1 missed, yetToJoin"),
        (175, "run 5, 1 done, 2 missed, abandoned"), (180, "run 6, 1 done, 2 missed, yetToJoin"),
        (235, "run 6, 1 done, 3 missed, abandoned"),
    ])
    func numbersAreThePresentVersionsAndCountsThoseOfBoth(_ minute: Int, _ expected: String) {
        let runs = [1, 2, 5, 6].enumerated().map { hour, number -> (occurrence: Occurrence, outcome: Outcome?) in
            let due = Self.start + .seconds(hour * 3_600)
            let run = Occurrence(
                id: number < 5 ? "A/\(number)" : "A/v2/\(number)", task: "A", taskIndex: 0, number: number,
                local: Zone.utc.local(due), due: due, expires: due + .seconds(3_000))
            return (run, [1: Outcome.completed, 2: .expired][number])
        }
        let standing = MyStudiesActivityProgress(
            TaskRuns(Self.task(), runs: runs, submissions: 1, isBegun: false),
            at: Self.start + .seconds(minute * 60))
        let counts = "run \(standing.currentRun), \(standing.completed) done, \(standing.missed) missed"
        #expect("\(counts), \(standing.state.rawValue)" == expected && standing.total == 4)
    }

    @Test func ongoingActivitiesHaveNoMissedRunsAndNoPartInTheWhole() {
        let ongoing = Self.standing("-", atMinute: 10, sticky: true, submissions: 3)
        #expect(ongoing.currentRun == 4 && ongoing.missed == 0 && ongoing.isOngoing)
        let progress = MyStudiesProgress([
            ongoing, Self.standing("mc--", atMinute: 130), Self.standing("c", atMinute: 60),
        ])
        #expect(progress.completion == 60 && progress.adherence == 66)
        #expect(MyStudiesProgress([ongoing]).completion == 0)
    }

    @Test(arguments: [(-1, "yetToJoin"), (0, "inProgress"), (100_000, "inProgress")])
    func aRunWithoutAnEndIsCurrentFromItsTimeOn(minute: Int, state: String) {
        let run = Occurrence(
            id: "A/1", task: "A", taskIndex: 0, number: 1, local: Zone.utc.local(Self.start), due: Self.start,
            expires: nil)
        let standing = MyStudiesActivityProgress(
            TaskRuns(Self.task(), runs: [(run, nil)], submissions: 0, isBegun: true),
            at: Self.start + .seconds(minute * 60))
        #expect(standing.state.rawValue == state && standing.missed == 0)
    }
}
