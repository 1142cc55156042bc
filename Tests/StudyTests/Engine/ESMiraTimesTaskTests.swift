// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformESMira
import Testing

@testable import Study

/// Times that the participant moves on the panel: what the app's page of schedules does
/// (`Study.hasEditableSchedules`, `Schedule.saveTimeFrames`, `SignalTime.isFaulty`,
/// ESMira-apps f750e58).
@Suite struct ESMiraTimesTaskTests {
    private static func study(
        _ signals: String, schedule: String = "", more: String = "", language: String = "en"
    ) throws -> StudyProtocol {
        let page = #"{"inputs":[{"name":"mood","responseType":"likert"}]}"#
        let text =
            #"{"id":7,"version":1,"lang":"\#(language)","randomGroups":2,"questionnaires":[{"internalId":71,"title":"EMA","durationPeriodDays":10\#(more),"pages":[\#(page)],"actionTriggers":[{"actions":[{}],"schedules":[{"startDayOne":false,"signalTimes":[\#(signals)]\#(schedule)}]}]}]}"#
        return try ESMiraReader().decode(StudySource(Array(text.utf8)))
    }

    private static let noon = #"{"startTimeOfDay":43200000}"#
    private static let stretch =
        #"{"random":true,"frequency":2,"minutesBetween":60,"startTimeOfDay":32400000,"endTimeOfDay":61200000}"#

    private static func clock(_ hour: Int, _ minute: Int = 0) -> AnswerValue {
        .dateTime(LocalDateTime(LocalDate(daysSinceEpoch: 20_514), LocalTime(hour: hour, minute: minute) ?? .midnight))
    }

    @Test func itStandsInTheListWhereATimeMayBeMovedAndAsksForEach() throws {
        let task = try #require(Self.study(Self.noon + "," + Self.stretch).task("times"))
        #expect(task.purpose == .settings && task.isAside && task.isSticky)
        #expect(
            task.content.steps.map(\.text) == [
                "EMA now comes at 12:00. When should it come?",
                "EMA now comes between 09:00 and 17:00. From what time?", "EMA: until what time?",
            ])
        #expect(task.content.steps.allSatisfy { $0.format == .dateTime(.time) && !$0.isRequired })
        #expect(try Self.study(Self.noon, schedule: #","userEditable":false"#).task("times") == nil)
        #expect(try Self.study(Self.noon, language: "de").task("times")?.name == "Zeiten der Erinnerungen ändern")
        #expect(try Self.study(Self.noon).served(by: .reference).task("times") != nil)
    }

    @Test func onlyTimesOfTheOwnGroupAreAskedFor() throws {
        let task = try #require(Self.study(Self.noon, more: #","limitToGroup":2"#).task("times"))
        for (group, isOwn) in [("1", false), ("2", true)] {
            let facts = StudyFacts(condition: group)
            #expect(task.unlocked.holds(facts) == isOwn)
            #expect(task.content.steps.allSatisfy { $0.visibleWhen?.holds(facts) == isOwn })
        }
    }

    /// A conductor that knows what the run of that task ends with.
    private static func moved(
        _ study: StudyProtocol, _ answers: Answers
    ) throws -> (conductor: StudyConductor, reports: [String], learned: [String]) {
        let planner = Planner(study: study, context: Sample.context())
        let now = Moment(instant: Sample.start, monotonic: .zero)
        var conductor = StudyConductor(
            planner: planner, scheduler: Scheduler(plan: planner.plan), panel: .reference, at: now)
        _ = conductor.handle(.tick, at: now)
        var facts = conductor.scheduler.facts
        facts.answers = answers
        let end = try #require(study.task("times")?.ending?.end(facts))
        conductor.move(end.times, at: now)
        var (reports, learned): ([String], [String]) = ([], [])
        for effect in conductor.effects {
            switch effect {
            case .report(.timesMoved(let task, let text)): reports.append("\(task): \(text)")
            case .note(.row(.variableSet(let name, _))): learned.append(name)
            default: break
            }
        }
        return (conductor, reports, learned)
    }

    private static func prompts(_ conductor: StudyConductor) -> [String] {
        conductor.scheduler.upcoming(3).map { String("\($0.local)".dropFirst(5).prefix(11)) }
    }

    @Test func aNewTimeHoldsOnceWhatComesWithinADayHasComeAndTheServerIsTold() throws {
        let study = try Self.study(Self.noon)
        let (conductor, reports, learned) = try Self.moved(study, ["start-71-0.0.0": Self.clock(15)])
        #expect(Self.prompts(conductor) == ["03-02T12:00", "03-03T15:00", "03-04T15:00"])
        #expect(reports == ["71: EMA: 3:00 PM, "] && learned == ["times/71/0.0.0"])
        #expect(conductor.session.lastMessage.hasPrefix("The new times are saved"))
        let computed = try #require(study.task("times")?.content.steps.first?.computedText)
        #expect(computed.text(conductor.scheduler.facts) == "EMA now comes at 15:00. When should it come?")
    }

    /// `DataSet.EventTypes.schedule_changed` starts triggers too, once the new times are saved. What no trigger waits
    /// for is not kept.
    @Test(arguments: [
        ("schedule_changed", 15, ["03-02T10:10", "03-02T12:00", "03-03T15:00"]),
        ("schedule_changed", 12, ["03-02T12:00", "03-03T12:00", "03-04T12:00"]),
        ("invitation", 15, ["03-02T12:00", "03-03T15:00", "03-04T15:00"]),
    ])
    func aQuestionnaireThatWaitsForNewTimesIsAsked(cue: String, hour: Int, prompts: [String]) throws {
        let trigger = #"}],"eventTriggers":[{"cueCode":"\#(cue)","delaySec":600"#
        let study = try Self.study(Self.noon, schedule: trigger)
        let (conductor, _, learned) = try Self.moved(study, ["start-71-0.0.0": Self.clock(hour)])
        let happening = "happened/times-moved/\(Sample.start.milliseconds)/71"
        #expect(learned.contains(happening) == (prompts[0] == "03-02T10:10"), "\(learned)")
        #expect(Self.prompts(conductor) == prompts)
    }

    @Test func ofAStretchEitherEndMayBeMovedAlone() throws {
        let study = try Self.study(Self.stretch)
        #expect(try Self.moved(study, ["end-71-0.0.0": Self.clock(20)]).reports == ["71: EMA: 9:00 AM-8:00 PM, "])
        #expect(try Self.moved(study, ["start-71-0.0.0": Self.clock(8, 30)]).reports == ["71: EMA: 8:30 AM-5:00 PM, "])
        #expect(try Self.moved(study, [:]).learned.isEmpty)
    }

    @Test func aStretchThatIsTooShortLeavesAllAsItIsAndThatIsSaid() throws {
        let study = try Self.study(Self.noon + "," + Self.stretch)
        let (conductor, reports, learned) = try Self.moved(
            study, ["start-71-0.0.0": Self.clock(15), "end-71-0.0.1": Self.clock(10)])
        #expect(reports.isEmpty && learned.isEmpty)
        #expect(conductor.session.lastMessage == "The study does not allow these times. They stay as they were.")
    }

    /// A run of it is no answer to the study.
    @Test func itsAnswersAreNotSent() throws {
        let study = try Self.study(Self.noon)
        let task = try #require(study.task("times"))
        let occurrence = try #require(task.schedule.occurrences(of: task, in: Sample.context()).first)
        let submission = Submission(
            task: "times", occurrence: occurrence, order: [], answers: ["start-71-0.0.0": Self.clock(15)], drawn: [],
            submitted: Sample.start)
        let context = WireContext(
            study: study, enrolment: Sample.enrolment(), zone: .utc, postURL: "https://s.example/")
        #expect(study.writer.requests(for: .submitted(submission), at: Sample.start, in: context).isEmpty)
    }

    /// Presses from the list on, as a participant does it: to the entry, the time in place of the
    /// one that is read out, the rest passed over.
    @Test(arguments: PanelFixtures.panels) func timesAreMovedByPresses(on panel: Panel) throws {
        let study = try Self.study(Self.noon + "," + Self.stretch).served(by: panel)
        #expect(study.task("times") != nil)
        let planner = Planner(study: study, context: Sample.context())
        var now = Moment(instant: Sample.start, monotonic: .zero)
        var conductor = StudyConductor(
            planner: planner, scheduler: Scheduler(plan: planner.plan), panel: panel, at: now)
        var reports: [String] = []
        func send(_ event: StudyConductor.Event) {
            for effect in conductor.handle(event, at: now) {
                if case .report(.timesMoved(let task, let text)) = effect { reports.append("\(task): \(text)") }
                if case .note(.submitted(let task, let opening, _)) = effect {
                    send(.stored(SubmittedRun(task: task, opening: opening)))
                }
            }
        }
        func pass(_ duration: Duration) {
            let end = now.monotonic + duration
            while let wake = conductor.wake(at: now), wake <= end {
                move(to: max(now.monotonic, wake))
                send(.tick)
            }
            move(to: end)
        }
        func move(to time: MonotonicTime) {
            now = Moment(instant: now.instant + (time - now.monotonic), monotonic: time)
        }
        func reach(_ goal: PanelGoal, until isReached: () -> Bool) {
            var presses = 0
            while !isReached(), presses < 300, let next = conductor.session.press(towards: goal) {
                for edge in PressFinder(panel).edges(next, at: now.monotonic) ?? [] {
                    pass(edge.time - now.monotonic)
                    send(.button(edge))
                }
                pass(PressFinder.pause)
                presses += 1
            }
        }
        send(.tick)
        let entry = try #require(conductor.session.items.first { $0.id.hasPrefix("times/") })
        #expect(entry.name == "Change the times of prompts")
        reach(.openItem(entry.id)) { conductor.session.run != nil }
        let wishes: [Wanted] = [.answer(Self.clock(15)), .leaveOut, .answer(Self.clock(20))]
        for (asked, wish) in wishes.enumerated() {
            #expect(conductor.session.run?.questions.count == asked + 1)
            reach(.answer(wish)) { conductor.session.run?.questions.count != asked + 1 || isInReview() }
        }
        func isInReview() -> Bool { conductor.session.run?.isInReview ?? false }
        reach(.submit) { conductor.session.run == nil }
        // `SignalTime.saveTimeFrames`: one dataset for each time that was changed, each with all
        // of its schedule.
        #expect(reports == Array(repeating: "71: EMA: 3:00 PM, EMA: 9:00 AM-8:00 PM, ", count: 2))
        #expect(conductor.session.lastMessage.hasPrefix("The new times are saved"))
        #expect(conductor.scheduler.ledger.isBalanced)
    }
}
