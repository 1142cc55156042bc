// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// What a scripted participant does besides answering prompts, all of it by presses on each panel.
@Suite struct SimulatedHabitsTests {
    struct Run {
        let lines: [StudySimulation.Line]
        let ledger: Ledger
        let compliance: Compliance
        let forms: [PostedForm]

        func outcomes(_ task: String) -> [String] {
            lines.filter { $0.occurrence.task == task }.map { $0.outcome?.name ?? "open" }
        }
    }

    private func run(
        _ bytes: [UInt8], _ participant: Participant, panel: Int = 2, days: Int? = nil, seed: UInt64 = 1
    ) async throws -> Run {
        let loaded = try LoadedStudy(bytes, origin: "generated.json")
        let context = try AgentFixture.context(loaded.study, seed: seed)
        var simulation = try StudySimulation(
            loaded, context: context,
            panel: AgentFixture.panel(AgentFixture.panels[panel]), participant: participant, postURL: nil, days: days)
        var forms: [PostedForm] = []
        let (lines, ledger, compliance) = try simulation.run { request in
            forms.append(try #require(PostedForm(request)))
        }
        #expect(ledger.isBalanced)
        let unanswered = compliance.expired + compliance.missed + compliance.interrupted + compliance.declined
        #expect(compliance.prompts == compliance.answered + unanswered + compliance.open)
        return Run(lines: lines, ledger: ledger, compliance: compliance, forms: forms)
    }

    /// `first` is open from the beginning, without a prompt; each of the others waits for the one
    /// before, and `never` for a task that does not exist.
    private static let chain: [UInt8] = {
        func module(_ uuid: String, after: String, offset: Int) -> String {
            """
            {"uuid":"\(uuid)","name":"\(uuid)","condition":"*","unlock_after":[\(after)],
            "alerts":{"start_offset":\(offset),"duration":1,"times":[{"hours":9,"minutes":0}]},
            "sections":[{"questions":[{"id":"q-\(uuid)","type":"yesno","text":"?","yes_text":"Y","no_text":"N"},
            {"id":"r-\(uuid)","type":"slider","text":"?","min":0,"max":5}]}]}
            """
        }
        let modules = [
            module("third", after: "\"second\"", offset: -1), module("first", after: "", offset: -1),
            module("second", after: "\"first\"", offset: -1), module("never", after: "\"gone\"", offset: -1),
            module("prompted", after: "\"third\"", offset: 1),
        ]
        return Array(
            """
            {"properties":{"study_id":"CHAIN","post_url":"http://127.0.0.1/p","conditions":["A"]},
            "modules":[\(modules.joined(separator: ","))]}
            """.utf8)
    }()

    @Test(arguments: AgentFixture.panels.indices)
    func whatHasNoPromptIsOpenedFromTheListAndUnlocksWhatWaitsForIt(_ panel: Int) async throws {
        let run = try await run(Self.chain, Participant(), panel: panel)
        for task in ["first", "second", "third", "prompted"] { #expect(run.outcomes(task) == ["completed"], "\(task)") }
        #expect(run.outcomes("never") == ["open"])
        #expect(run.lines.allSatisfy { ($0.answers != nil && $0.presses > 0) == ($0.outcome == .completed) })
        #expect(run.compliance.unprompted == 3 && run.compliance.answered == 1 && run.compliance.prompts == 1)
        // By presses: the list was opened and left each time before.
        let walk = run.forms.map(\.kind).filter { $0.hasPrefix("home") || $0.hasPrefix("survey") }
        #expect(
            walk.prefix(7) == [
                "home enrol", "home entry", "home exit", "survey entry", "survey_response", "survey submit",
                "home entry",
            ])
    }

    @Test func whoDoesNotLookIntoTheListUnlocksNothing() async throws {
        var participant = Participant()
        participant.opens = 0
        let run = try await run(Self.chain, participant)
        #expect(run.ledger.occurrences.completed == 0 && run.forms.map(\.kind) == ["home enrol"])
    }

    private static let daily = AgentFixture.protocolText(days: 6, times: [(9, 0), (12, 0), (18, 30)])

    @Test(arguments: AgentFixture.panels.indices)
    func promptsAreMissedDeclinedPutOffAndLeft(_ panel: Int) async throws {
        var missing = Participant()
        missing.misses = 1
        let missed = try await run(Self.daily, missing, panel: panel)
        #expect(
            missed.compliance.expired == 18 && missed.compliance.missed == 0
                && missed.lines.allSatisfy { $0.presses == 0 })
        #expect(missed.ledger.occurrences.expired == 18)
        var declining = Participant()
        declining.declines = 1
        let declined = try await run(Self.daily, declining, panel: panel)
        #expect(declined.ledger.occurrences.declined == 18 && declined.compliance.rate == 0)
        var delaying = Participant()
        delaying.delays = 1
        let delayed = try await run(Self.daily, delaying, panel: panel)
        #expect(delayed.compliance.putOff >= 18 && delayed.ledger.occurrences.completed == 0)
        var leaving = Participant()
        leaving.leaves = 1
        let left = try await run(Self.daily, leaving, panel: panel)
        #expect(left.compliance.left == 18 && left.ledger.occurrences.completed == 0)
        #expect(left.forms.count { $0.kind == "survey exit" } == 18)
    }

    /// The script of a question that must be answered says nothing, or ticks nothing: it is tried
    /// once and left, and named.
    @Test(
        .timeLimit(.minutes(10)), arguments: AgentFixture.panels.indices,
        [
            (#"{"id":"mood","type":"slider","min":0,"max":10,"text":"?","required":true}"#, ScriptedValue.null),
            (#"{"id":"mood","type":"multi","radio":false,"options":["a","b"],"text":"?","required":true}"#, .list([])),
            (#"{"id":"mood","type":"text","subtype":"numeric","text":"?","required":true}"#, .string("")),
        ])
    func aQuestionThatMustBeAnsweredAndIsNotIsNamedAndLeft(
        _ panel: Int, _ row: (question: String, value: ScriptedValue)
    ) throws {
        let text = """
            {"properties":{"study_id":"S","post_url":"http://127.0.0.1/p","conditions":[]},"modules":[{"uuid":"diary","name":"D","condition":"*",
            "alerts":{"start_offset":1,"duration":3,"times":[{"hours":9,"minutes":0}],"timeout":true,"timeout_after":7200000},
            "sections":[{"questions":[\(row.question)]}]}]}
            """
        let loaded = try LoadedStudy(Array(text.utf8), origin: "generated.json")
        var simulation = try StudySimulation(
            loaded, context: try AgentFixture.context(loaded.study, seed: 1),
            panel: AgentFixture.panel(AgentFixture.panels[panel]),
            participant: Participant(answers: ["mood": row.value]),
            postURL: nil, days: nil)
        let (lines, ledger, compliance) = try simulation.run { _ in }
        #expect(simulation.unanswered.map(\.question) == ["diary/mood"] && simulation.unanswered.map(\.times) == [3])
        #expect(compliance.left == 3 && ledger.occurrences.completed == 0 && ledger.isBalanced)
        #expect(lines.count == 3 && lines.allSatisfy { (1...40).contains($0.presses) }, "\(lines.map(\.presses))")
    }

    /// A list is gone through: what was not taken the first time may be answered the second.
    @Test func theNextValueOfAListIsTriedBeforeTheTaskIsLeft() async throws {
        let study = AgentFixture.protocolText(days: 2, times: [(9, 0)])
        let step = try #require(
            try LoadedStudy(study, origin: "g").study.tasks[0].content.steps.first { $0.isRequired })
        let values = ScriptedValue.list([.null, .null])
        let left = try await run(study, Participant(answers: [step.key: values]))
        #expect(left.compliance.left == 2)
    }

    /// At 8:15 they are switched off, at some seconds past 11:15 on again, at 12:15 off.
    @Test(arguments: AgentFixture.panels.indices)
    func whoSwitchesPromptsOffMissesThoseOfThreeHours(_ panel: Int) async throws {
        var silent = Participant()
        // What came meanwhile is in the list, which is not looked at.
        (silent.silences, silent.opens) = (1, 0)
        let times = (8...14).map { (hour: $0, minute: 15) }
        let run = try await run(AgentFixture.protocolText(days: 2, times: times), silent, panel: panel)
        let day = [false, true, true, true, false, true, true]
        #expect(run.lines.map { $0.outcome == .missed(.promptsOff) } == day + day, "\(run.lines.map(\.outcome))")
        #expect(run.ledger.occurrences.completed == 0 && run.ledger.occurrences.expired == 4)
    }

    /// Slow, but never so slow that the run is interrupted: after five minutes without a press.
    @Test(arguments: AgentFixture.panels.indices)
    func whoIsSlowAnswersTheSameLater(_ panel: Int) async throws {
        let quick = try await run(Self.daily, Participant(), panel: panel)
        var slow = Participant()
        slow.dawdles = 1
        let late = try await run(Self.daily, slow, panel: panel)
        #expect(late.lines.map { $0.answers?.text } == quick.lines.map { $0.answers?.text })
        #expect(late.compliance == quick.compliance && late.ledger.occurrences.completed == 18)
    }

    @Test(arguments: AgentFixture.panels.indices)
    func whoGoesBackAnswersTheSameWithMorePresses(_ panel: Int) async throws {
        let straight = try await run(Self.daily, Participant(), panel: panel)
        var hesitant = Participant()
        hesitant.goesBack = 1
        let back = try await run(Self.daily, hesitant, panel: panel)
        #expect(back.lines.map { $0.answers?.text } == straight.lines.map { $0.answers?.text })
        #expect(zip(back.lines, straight.lines).allSatisfy { $0.presses > $1.presses })
    }

    /// A share of n independent draws lies within four standard deviations, √(p(1−p)/n) each, but
    /// for one time in 16 000.
    @Test func sharesAreKeptAndFollowFromTheSeed() async throws {
        let times = (8...21).map { (hour: $0, minute: 15) }
        let study = AgentFixture.protocolText(days: 60, times: times)
        var participant = Participant()
        (participant.misses, participant.delays, participant.declines) = (0.2, 0.1, 0.05)
        let first = try await run(study, participant, seed: 3)
        let n = 840.0
        func expect(_ count: Int, _ share: Double) {
            let deviation = (share * (1 - share) / n).squareRoot()
            #expect(abs(Double(count) / n - share) < 4 * deviation, "\(count) of \(n)")
        }
        #expect(first.compliance.prompts == 840)
        expect(first.compliance.expired + first.compliance.missed, 0.2)
        // What is put off comes again: 0.1 + 0.01 + … of all prompts are put off once more, and
        // 0.05 of those that come again are declined.
        expect(first.compliance.putOff, 0.1 / 0.9)
        let again = try await run(study, participant, seed: 3)
        #expect(again.compliance == first.compliance && again.lines.map(\.outcome) == first.lines.map(\.outcome))
        let other = try await run(study, participant, seed: 4)
        #expect(other.lines.map(\.outcome) != first.lines.map(\.outcome))
    }
}
