// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct StudySimulationTests {
    /// What a run of a whole study gave.
    struct Run {
        let context: ScheduleContext
        let plan: Plan
        let lines: [StudySimulation.Line]
        let ledger: Ledger
        let forms: [PostedForm]
        let requests: [WireRequest]
    }

    private func run(
        _ loaded: LoadedStudy, _ buttons: [String], _ participant: Participant, days: Int? = nil, seed: UInt64 = 1
    ) async throws -> Run {
        let context = try AgentFixture.context(loaded.study, seed: seed)
        var simulation = try StudySimulation(
            loaded, context: context, panel: AgentFixture.panel(buttons),
            participant: participant, postURL: nil, days: days)
        var requests: [WireRequest] = []
        let (lines, ledger, _) = try simulation.run { requests.append($0) }
        return Run(
            context: context, plan: Planner(study: loaded.study, context: context).plan, lines: lines, ledger: ledger,
            forms: try requests.map { try #require(PostedForm($0)) }, requests: requests)
    }

    /// Nothing invented, nothing vanished: what was planned is what ended, each once.
    private func checkOutcomes(_ run: Run) {
        #expect(run.ledger.isBalanced)
        #expect(run.lines.map(\.occurrence.id) == run.plan.occurrences.map(\.id))
        #expect(Set(run.lines.map(\.occurrence.id)).count == run.lines.count)
        #expect(run.ledger.occurrences.due == run.lines.count)
        #expect(run.ledger.occurrences.open == run.lines.count { $0.outcome == nil })
        #expect(run.lines.allSatisfy { $0.outcome != nil || $0.occurrence.expires == nil })
        for line in run.lines where line.outcome == .completed {
            #expect(line.answered != nil && line.answers != nil, "\(line.occurrence.id)")
            #expect(line.presses > 0 || line.presented == nil, "\(line.occurrence.id)")
        }
        #expect(run.ledger.items.produced == run.requests.count)
        #expect(run.ledger.items.waiting == run.requests.count)
    }

    /// The records in the order in which a phone would post them (schema 1.7, 1.8).
    private func checkSequence(_ run: Run, _ study: StudyProtocol) throws {
        #expect(run.forms.first?.kind == "home enrol")
        var open: String?
        var click: String?
        var answered = false
        var last: Int64 = 0
        for form in run.forms {
            let stamp = try #require((form["timestamp_in_ms"] ?? form["response_time_in_ms"]).flatMap { Int64($0) })
            #expect(stamp >= last)
            last = stamp
            #expect(form["user_id"] == "ABC23456")
            #expect(form["study_id"] == study.studyID)
            let module = form["module_index"]
            switch form.kind {
            case "home enrol", "home entry", "home exit", "settings entry", "settings exit":
                #expect(open == nil && module == "-1")
            case "survey entry":
                #expect(open == nil)
                #expect(click == nil || click == module)
                (open, answered, click) = (module, false, nil)
            case "survey_response":
                #expect(open == module && !answered)
                #expect(form.fields.map(\.name) == Self.responseFields)
                answered = true
            case "survey submit":
                #expect(open == module && answered)
                open = nil
            case "survey exit":
                #expect(open == module && !answered)
                open = nil
            default:
                #expect(form.kind.hasPrefix("notification-") && form.kind.hasSuffix(" click"), "\(form.kind)")
                #expect(open == nil)
                click = module
            }
            if form["data_type"] == "log" { #expect(form.fields.map(\.name) == Self.logFields) }
        }
        #expect(open == nil)
        let responses = run.forms.count { $0.kind == "survey_response" }
        #expect(responses == run.ledger.occurrences.completed + run.ledger.occurrences.selfStarted)
    }

    static let responseFields = [
        "data_type", "user_id", "study_id", "module_index", "module_name", "responses", "response_time",
        "response_time_in_ms", "alert_time", "platform", "clock_error_in_s",
    ]
    static let logFields = [
        "data_type", "user_id", "study_id", "module_index", "page", "event", "timestamp", "timestamp_in_ms", "platform",
    ]

    @Test(arguments: AgentFixture.panels)
    func ourExampleStudyRunsToItsEnd(_ buttons: [String]) async throws {
        let loaded = try LoadedStudy.load(AgentFixture.sleepStudy)
        let run = try await run(loaded, buttons, AgentFixture.participant())
        checkOutcomes(run)
        try checkSequence(run, loaded.study)
        #expect(run.ledger.occurrences.completed > 100)
    }

    @Test(.enabled(if: AgentFixture.upstreamDemo != nil, "the fixtures of the platforms are not beside the project"))
    func theUpstreamDemoRunsToItsEndOnEveryPanel() async throws {
        let loaded = try LoadedStudy.load(try #require(AgentFixture.upstreamDemo))
        for buttons in AgentFixture.panels {
            let run = try await run(loaded, buttons, Participant(latency: .seconds(5), otherwise: .first))
            checkOutcomes(run)
            try checkSequence(run, loaded.study)
        }
    }

    /// What the participant meant is what is on the wire, whatever buttons there are.
    /// As the ledger has them apart.
    @Test func everyOutcomeIsCountedUnderItsOwnName() {
        var compliance = Compliance()
        for outcome in [.completed, .declined, .expired, .missed(.busy), .interrupted, nil] as [Outcome?] {
            compliance.count(outcome)
        }
        #expect(
            compliance.text.contains(
                "6 prompts: 1 answered (20 %), 1 expired, 1 missed, 1 interrupted, 1 declined, 1 open;"))
        #expect(compliance.json.text.contains(#""expired":1,"missed":1,"interrupted":1,"declined":1"#))
    }

    @Test func everyPanelGivesTheSameAnswers() async throws {
        let loaded = try LoadedStudy.load(AgentFixture.sleepStudy)
        var answers: [[String]] = []
        for buttons in AgentFixture.panels {
            let run = try await run(loaded, buttons, AgentFixture.participant(), days: 5)
            answers.append(run.lines.map { $0.answers?.text ?? "none" })
        }
        #expect(answers[0] == answers[2])
        #expect(answers[1] == answers[2])
        #expect(
            answers[2].contains { $0.contains("\"slept-well\":\"No\"") && $0.contains("\"what-woke\":\"Noise;Pain;\"") }
        )
        #expect(answers[2].contains { $0.contains("\"doing\":\"Walking\"") && $0.contains("\"company\":\"Yes\"") })
    }

    @Test func theSameSeedGivesTheSameBytes() async throws {
        let loaded = try LoadedStudy.load(AgentFixture.sleepStudy)
        let participant = try AgentFixture.participant()
        let first = try await run(loaded, AgentFixture.panels[2], participant, days: 4, seed: 7)
        let again = try await run(loaded, AgentFixture.panels[2], participant, days: 4, seed: 7)
        let other = try await run(loaded, AgentFixture.panels[2], participant, days: 4, seed: 8)
        #expect(first.requests == again.requests)
        #expect(first.requests != other.requests)
    }

    @Test func whoNeverPressesMissesNothingInSilence() async throws {
        let loaded = try LoadedStudy.load(AgentFixture.sleepStudy)
        var absent = Participant(latency: .seconds(100_000))
        absent.opens = 0
        let run = try await run(loaded, AgentFixture.panels[2], absent, days: 6)
        #expect(run.ledger.isBalanced)
        #expect(run.ledger.occurrences.completed == 0)
        #expect(run.ledger.occurrences.expired > 20)
        #expect(run.forms.map(\.kind) == ["home enrol"])
    }

    @Test(.timeLimit(.minutes(10))) func halfAYearOfFourteenPromptsADayKeepsLocalHoursAndTheLedger() async throws {
        let hours = (8...21).map { (hour: $0, minute: 15) }
        let loaded = try LoadedStudy(AgentFixture.protocolText(days: 182, times: hours), origin: "generated.json")
        let participant = Participant(
            latency: .seconds(20), answers: ["alone": .list([.boolean(true), .boolean(false)]), "mood": .number(7)])
        let run = try await run(loaded, AgentFixture.panels[2], participant)
        checkOutcomes(run)
        try checkSequence(run, loaded.study)
        #expect(run.lines.count == 182 * 14)
        #expect(run.ledger.occurrences.completed == 182 * 14)
        let zone = run.context.zone
        #expect(Set(run.lines.map { zone.local($0.occurrence.due).time.hour }) == Set(8...21))
        let answers = run.lines.map { $0.answers?.text ?? "none" }
        #expect(Set(answers.prefix(2)) == ["{\"alone\":\"Yes\",\"mood\":7}", "{\"alone\":\"No\",\"mood\":7}"])
        #expect(Set(answers).count == 2)
    }

    /// A prompt is open for half an hour, and is answered in some seconds; its time is the last of the plan. Days that
    /// were asked for end at midnight.
    @Test(
        arguments: [
            (9, 0, 1_799, nil, .completed), (9, 0, 1_801, nil, .expired), (23, 59, 58, 2, nil),
            (23, 30, 1_798, 2, nil), (23, 30, 1_801, 2, .expired),
        ] as [(Int, Int, Int, Int?, Outcome?)])
    func aRunThatOutlastsThePlanIsDoneToItsEnd(
        hour: Int, minute: Int, latency: Int, days: Int?, outcome: Outcome?
    ) async throws {
        let loaded = try LoadedStudy(
            AgentFixture.protocolText(days: 1, times: [(hour, minute)]), origin: "generated.json")
        let participant = Participant(
            latency: .seconds(latency), answers: ["alone": .boolean(true), "mood": .number(7)])
        let run = try await run(loaded, AgentFixture.panels[2], participant, days: days)
        #expect(run.lines.map(\.outcome) == [outcome])
        #expect(run.ledger.occurrences.expired == (outcome == .expired ? 1 : 0) && run.ledger.occurrences.isBalanced)
        #expect((run.lines.first?.answers != nil) == (outcome == .completed))
        #expect(run.forms.contains { $0.kind == "survey_response" } == (outcome == .completed))
        #expect(run.forms.contains { $0.kind == "survey entry" } == (outcome != .expired))
    }

    /// What is due at midnight is the next day's, as `studyd plan` has it.
    @Test(arguments: [(1, 0), (2, 2), (3, 4), (4, 4)])
    func daysEndBeforeTheirMidnight(days: Int, count: Int) async throws {
        let loaded = try LoadedStudy(
            AgentFixture.protocolText(days: 2, times: [(0, 0), (23, 59)]), origin: "generated.json")
        let run = try await run(loaded, AgentFixture.panels[2], Participant(), days: days)
        let planned = Planner(study: loaded.study, context: run.context).lines(days: days)
        #expect(run.lines.map(\.occurrence.id) == planned.map(\.occurrence.id))
        #expect(run.lines.count == count && run.ledger.occurrences.due == count)
    }

    /// As the log of a device has them: a decision, the prompt of one that is treated, and its outcome.
    @Test func decisionsOfRulesComeInTheirOrderAndAreCounted() throws {
        let study = try LoadedStudy(AgentFixture.protocolText(days: 2, times: [(9, 0)]), origin: "generated.json")
        let key = try #require(study.study.tasks.first?.key)
        let rules = """
            [feature.effort]
            from = "accelerometer"
            is = "enmo"
            [rule.r]
            task = "\(key)"
            every = "1h"
            probability = 0.5
            outcome = { feature = "effort", window = "+10m" }
            """
        let loaded = try study.with(rules: Array(rules.utf8))
        let participant = Participant(
            latency: .seconds(20), answers: ["alone": .boolean(true), "mood": .number(7)])
        var simulation = try StudySimulation(
            loaded, context: AgentFixture.context(loaded.study), panel: AgentFixture.panel(AgentFixture.panels[2]),
            participant: participant, postURL: nil, days: 1)
        let (_, ledger, _) = try simulation.run { _ in }
        let counts = try #require(ledger.decisions)
        var decisions: [DecisionRecord] = []
        let words = simulation.decided.map { event -> String in
            switch event {
            case .decided(let decision):
                decisions.append(decision)
                return "decided \(decision.index)"
            case .raised(_, let index, _, _): return "raised \(index)"
            case .outcomeMeasured(let outcome): return "measured \(outcome.index)"
            default: return "\(event)"
            }
        }
        // From 11:00 to 23:00: midnight is the next day's.
        #expect(decisions.count == counts.due && decisions.count == 13)
        #expect(decisions.map(\.index) == Array(1...max(1, decisions.count)))
        #expect(counts.treated == decisions.count { $0.result == .treated })
        let expected = decisions.flatMap { decision -> [String] in
            let raised = decision.result == .treated ? ["raised \(decision.index)"] : []
            return ["decided \(decision.index)"] + raised + ["measured \(decision.index)"]
        }
        #expect(words == Array(expected.prefix(words.count)) && words.count >= expected.count - 1, "\(words)")
    }
}
