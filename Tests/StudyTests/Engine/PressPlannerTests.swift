// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct PressPlannerTests {
    /// A conductor with a hand that presses its buttons.
    struct Bench {
        var conductor: StudyConductor
        var hand: PressPlanner
        var now = Moment(instant: Sample.start, monotonic: .zero)
        var submissions: [Submission] = []
        var firstPress: [MonotonicTime] = []
        var edges: [ButtonEvent] = []

        init(_ steps: [Step], on panel: Panel, _ participant: Participant, prompts: Int = 1) {
            let task = Sample.task(
                "t", sections: [Section(name: "", steps: steps, shufflesSteps: false)],
                at: (1...prompts).map { $0 * 60 },
                timeout: 50)
            self.init([task], on: panel, participant)
        }

        init(_ tasks: [StudyTask], on panel: Panel, _ participant: Participant) {
            let planner = Planner(study: Sample.study(tasks), context: Sample.context())
            conductor = StudyConductor(
                planner: planner, scheduler: Scheduler(plan: planner.plan), panel: panel, at: now)
            hand = PressPlanner(participant, panel: panel)
        }

        mutating func send(_ event: StudyConductor.Event) {
            for effect in conductor.handle(event, at: now) {
                if case .note(.submitted(let task, let opening, let submission)) = effect {
                    submissions.append(submission)
                    send(.stored(SubmittedRun(task: task, opening: opening)))
                    return
                }
            }
        }

        mutating func pass(to time: MonotonicTime) {
            while let wake = conductor.wake(at: now), wake <= time {
                move(to: max(now.monotonic, wake))
                send(.tick)
            }
            move(to: time)
        }

        private mutating func move(to time: MonotonicTime) {
            now = Moment(instant: now.instant + (time - now.monotonic), monotonic: time)
        }

        /// Lets the hand press what it will until `end`.
        mutating func play(until end: MonotonicTime) throws {
            while now.monotonic < end {
                guard let next = try hand.move(on: conductor, at: now) else {
                    guard let wake = conductor.wake(at: now), wake < end else { return pass(to: end) }
                    move(to: max(wake, now.monotonic))
                    send(.tick)
                    continue
                }
                if next.prompt != nil, let first = next.edges.first { firstPress.append(first.time) }
                edges += next.edges
                for edge in next.edges {
                    pass(to: edge.time)
                    send(.button(edge))
                }
                pass(to: now.monotonic + PressFinder.pause)
            }
        }
    }

    static let minute: Duration = .seconds(60)
    static let panels = PanelFixtures.panels

    private static func step(_ format: AnswerFormat, isRequired: Bool = false) -> Step {
        Step(key: "q", text: "?", format: format, isRequired: isRequired)
    }

    /// Formats, what the script says, and what must come out.
    static let cases: [(format: AnswerFormat, scripted: ScriptedValue, wanted: AnswerValue)] = [
        (.yesNo(yes: "Yes", no: "No"), .boolean(true), .boolean(true)),
        (.yesNo(yes: "Yes", no: "No"), .string("No"), .boolean(false)),
        (
            .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: false, isShuffled: false)),
            .string("banana"),
            .choices(["banana"])
        ),
        (
            .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true, isShuffled: true)),
            .list([.string("banana"), .string("apple")]), .choices(["banana", "apple"])
        ),
        (
            .slider(SliderFormat(minimum: 0, maximum: 100, step: 1, minimumLabel: "", maximumLabel: "")), .number(83),
            .number(83)
        ),
        (.number(NumberFormat(minimum: 0, maximum: 300, maximumFractionDigits: 1)), .number(72.5), .number(72.5)),
    ]

    @Test(arguments: panels.indices, cases.indices)
    func theHandGivesWhatTheScriptSaysOnEveryPanel(_ panel: Int, _ number: Int) throws {
        let (format, scripted, wanted) = Self.cases[number]
        let participant = Participant(answers: ["q": scripted])
        let more = Step(key: "more", text: "?", format: .yesNo(yes: "Yes", no: "No"))
        var bench = Bench([Self.step(format), more], on: Self.panels[panel], participant)
        try bench.play(until: .zero + Self.minute * 100)
        #expect(bench.submissions.count == 1)
        #expect(bench.submissions.first?.answers["q"] == wanted)
    }

    @Test(arguments: panels.indices) func aTaskOfOneYesNoQuestionIsAnsweredByThePressThatTakesItUp(_ panel: Int) throws
    {
        let participant = Participant(answers: ["q": .list([.boolean(false), .boolean(true)])])
        var bench = Bench(
            [Self.step(.yesNo(yes: "Yes", no: "No"))], on: Self.panels[panel], participant, prompts: 4)
        try bench.play(until: .zero + Self.minute * 300)
        #expect(
            bench.submissions.map { $0.answers["q"] } == [
                .boolean(false), .boolean(true), .boolean(false), .boolean(true),
            ])
    }

    @Test func thePressComesAfterTheParticipantsLatency() throws {
        var bench = Bench(
            [Self.step(.instruction)], on: .reference, Participant(latency: .seconds(42)), prompts: 2)
        try bench.play(until: .zero + Self.minute * 200)
        #expect(bench.firstPress == [.zero + .seconds(3642), .zero + .seconds(7242)])
        #expect(bench.submissions.count == 2)
    }

    @Test func withNothingToAnswerNothingIsPressed() throws {
        var bench = Bench([Self.step(.instruction)], on: .reference, Participant())
        #expect(try bench.hand.move(on: bench.conductor, at: bench.now)?.edges == nil)
        bench.pass(to: .zero + .seconds(60))
        #expect(try bench.hand.move(on: bench.conductor, at: bench.now)?.edges == nil)
    }

    @Test func whatIsNotNamedIsLeftOutWhereTheScriptSaysSkip() throws {
        let slider = AnswerFormat.slider(
            SliderFormat(minimum: 0, maximum: 10, step: 1, minimumLabel: "", maximumLabel: ""))
        for panel in Self.panels {
            var bench = Bench([Self.step(slider)], on: panel, Participant(otherwise: .skip))
            try bench.play(until: .zero + Self.minute * 100)
            #expect(bench.submissions.count == 1)
            #expect(bench.submissions.first?.answers["q"] == nil)
        }
    }

    static let performances =
        ReactionTests.both + [
            ActiveTask(TimedStepTests.tapping), ActiveTask(TimedStepRules(name: "rest", duration: .seconds(30))),
            TimedWalkTests.walk, ActiveTask(PSATTests.rules), ActiveTaskPlayTests.kicks,
        ]

    @Test(arguments: performances.indices) func aPerformanceIsLeftOutByTheMenuOnce(_ number: Int) throws {
        let more = Step(key: "more", text: "?", format: .yesNo(yes: "Yes", no: "No"))
        var bench = Bench(
            [Self.step(.active(Self.performances[number])), Step(key: "i", text: "", format: .instruction), more],
            on: .reference, Participant(answers: ["more": .boolean(true)], otherwise: .skip))
        try bench.play(until: .zero + Self.minute * 80)
        #expect(bench.submissions.map { $0.answers.keys.sorted() } == [["more"]])
        #expect(bench.edges.count < 30 && bench.hand.unanswered.isEmpty)
    }

    /// It must be answered, and the script says null; vigilance is never left out while it is tested.
    @Test(arguments: [true, false]) func aPerformanceThatCannotBeLeftOutIsLeftWithItsTask(isVigilance: Bool) throws {
        let vigilance = VigilanceRules(
            trials: 3, minimumWaiting: .seconds(2), maximumWaiting: .seconds(6), maximumReaction: .seconds(1),
            showsResults: false, allowsLeaving: false)
        let task = isVigilance ? ActiveTask(vigilance) : ActiveTask(TimedStepTests.tapping)
        var bench = Bench(
            [Self.step(.active(task), isRequired: true), Step(key: "i", text: "", format: .instruction)],
            on: .reference,
            Participant(answers: ["q": .null]))
        try bench.play(until: .zero + Self.minute * 80)
        #expect(bench.submissions.isEmpty && bench.hand.unanswered["t/q"] ?? 0 > 0)
    }

    /// The hold for the menu began while a step went on, and ended when that was over.
    @Test func aMenuThatOpensOverAnInstructionIsLeftAgain() throws {
        var rules = TimedStepRules(name: "countdown", duration: .seconds(1))
        (rules.beginsByItself, rules.goesOnByItself) = (true, true)
        var bench = Bench(
            [Self.step(.active(ActiveTask(rules))), Step(key: "i", text: "", format: .instruction)], on: .reference,
            Participant(otherwise: .skip))
        try bench.play(until: .zero + Self.minute * 80)
        #expect(bench.submissions.count == 1 && bench.hand.unanswered.isEmpty)
    }

    @Test func randomAnswersFollowFromTheSeed() throws {
        let slider = AnswerFormat.slider(
            SliderFormat(minimum: 0, maximum: 10, step: 1, minimumLabel: "", maximumLabel: ""))
        func answers(_ seed: UInt64) throws -> [AnswerValue?] {
            var bench = Bench([Self.step(slider)], on: .reference, Participant(otherwise: .random), prompts: 6)
            bench.hand = PressPlanner(Participant(otherwise: .random), panel: .reference, seed: seed)
            try bench.play(until: .zero + Self.minute * 400)
            return bench.submissions.map { $0.answers["q"] }
        }
        #expect(try answers(1) == answers(1))
        #expect(try answers(1) != answers(2))
        #expect(try answers(1).count == 6)
    }

    /// The text of another task quotes an answer, that of the last submission.
    @Test func anAnswerIsKeptForTheTextsOfOtherTasks() throws {
        let choice = AnswerFormat.choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: false))
        let asking = Sample.task(
            "a",
            sections: [Section(name: "", steps: [Step(key: "f", text: "?", format: choice)], shufflesSteps: false)],
            at: [60, 180], timeout: 50)
        let told = Step(
            key: "t", text: "You like $.", format: .instruction,
            variation: .piped(Piping(snippet: "$", question: "f", task: "a")))
        let telling = Sample.task(
            "b", sections: [Section(name: "", steps: [told], shufflesSteps: false)], at: [120, 240], timeout: 50,
            index: 1)
        var bench = Bench(
            [asking, telling], on: .reference,
            Participant(answers: ["f": .list([.string("banana"), .string("orange")])]))
        var texts: [String?] = []
        for minutes in [121, 241] {
            try bench.play(until: .zero + Self.minute * (minutes - 1))
            bench.pass(to: .zero + Self.minute * (minutes - 1) + .seconds(1))
            while bench.conductor.session.run?.current == nil {
                guard let move = try bench.hand.move(on: bench.conductor, at: bench.now) else { break }
                for edge in move.edges {
                    bench.pass(to: edge.time)
                    bench.send(.button(edge))
                }
            }
            texts.append(bench.conductor.session.run?.currentText)
        }
        #expect(texts == ["You like banana.", "You like orange."])
        #expect(bench.conductor.scheduler.facts.variables["answer/a/f"] == .choices(["orange"]))
    }

    @Test func anAnswerOpensAnotherTaskThatIsOpenNowAndNoOther() throws {
        let yesNo = AnswerFormat.yesNo(yes: "Yes", no: "No")
        let way = Jump(when: Answered(question: "a", value: .boolean(true)), to: .task("b", at: .step("y")))
        let first = Sample.task(
            "a",
            sections: [
                Section(
                    name: "",
                    steps: [
                        Step(key: "i", text: "", format: .instruction),
                        Step(key: "a", text: "?", format: yesNo, jumps: [way]),
                    ], shufflesSteps: false)
            ], at: [60], timeout: 50)
        func second(at minute: Int) -> StudyTask {
            let steps = ["x", "y"].map { Step(key: $0, text: "?", format: yesNo) }
            return Sample.task(
                "b", sections: [Section(name: "", steps: steps, shufflesSteps: false)], at: [minute], timeout: 500,
                index: 1)
        }
        for (minute, answers) in [(0, [["a"], ["y"]]), (600, [["a"]])] {
            var bench = Bench(
                [first, second(at: minute)], on: .reference,
                Participant(answers: ["a": .boolean(true), "y": .boolean(false)]))
            try bench.play(until: .zero + Self.minute * 100)
            #expect(bench.submissions.map { $0.answers.keys.sorted() } == answers)
            #expect(bench.conductor.session.isIdle)
        }
    }

    /// One prompt is put off, and the next one is missed: with nothing else to come, it is not in the way.
    @Test(arguments: 1...16) func aPromptThatIsMissedIsPutOffOnlyWhereAnotherWaits(seed: UInt64) throws {
        var participant = Participant(latency: .seconds(5))
        (participant.misses, participant.delays) = (0.5, 0.5)
        var habits = ParticipantHabits(participant, seed: seed)
        let fates = ["a/1", "b/1"].map { habits.fate(of: $0) }
        let steps = [Step(key: "q", text: "?", format: .instruction)]
        let tasks = ["a", "b"].enumerated().map { index, key in
            Sample.task(
                key, sections: [Section(name: "", steps: steps, shufflesSteps: false)], at: [10 + index], index: index)
        }
        var bench = Bench(tasks, on: .reference, participant)
        bench.hand = PressPlanner(participant, panel: .reference, seed: seed)
        try bench.play(until: .zero + Self.minute * 12)
        let putOff = bench.conductor.session.waiting.filter { $0.putOffUntil != nil }.map(\.item.id)
        switch (fates[0], fates[1]) {
        case (.miss, .miss): #expect(putOff.isEmpty)
        case (.delay, .miss): #expect(putOff == ["a/1"])
        default: #expect(putOff == ["a/1", "b/1"])
        }
    }

    /// A prompt stands before the list: what the participant wants to do from there comes behind it.
    @Test(arguments: [(true, 1.0, true), (true, 0, false), (false, 1, false)])
    func aMissedPromptIsPutOffForTheList(opensList: Bool, opens: Double, isPutOff: Bool) throws {
        var participant = Participant(latency: .seconds(5))
        (participant.misses, participant.opens) = (1, opens)
        let steps = [Step(key: "q", text: "?", format: .instruction)]
        let tasks = [("a", 10), ("b", 0)].enumerated().map { index, task in
            Sample.task(
                task.0, sections: [Section(name: "", steps: steps, shufflesSteps: false)], at: [task.1], index: index)
        }
        var bench = Bench(tasks, on: .reference, participant)
        bench.hand = PressPlanner(participant, panel: .reference, opensList: opensList)
        bench.pass(to: .zero + Self.minute * 10)
        try bench.play(until: .zero + Self.minute * 11)
        let putOff = bench.conductor.session.waiting.filter { $0.putOffUntil != nil }.map(\.item.id)
        #expect(putOff == (isPutOff ? ["a/1"] : []))
    }

    /// `button@seconds+seconds`, from when the task is presented; held for 0.12 s where nothing is said.
    @Test func pressesThatAreWrittenDownArePressedInTimeAndLetGo() throws {
        let written = ScriptedValue.list([.string("right@12.5"), .string("left@10+0.8")])
        var bench = Bench(
            [Self.step(.active(ActiveTaskPlayTests.kicks))], on: PanelFixtures.two,
            Participant(answers: ["q": .list([written])]))
        try bench.play(until: .zero + Self.minute * 100)
        // The first pair takes the prompt up.
        let edges = bench.edges.dropFirst(2).prefix(4)
        #expect(edges.map(\.button) == [0, 0, 1, 1] && edges.map(\.isPressed) == [true, false, true, false])
        let first = try #require(edges.first?.time)
        #expect(edges.map { ($0.time - first).milliseconds } == [0, 800, 2_500, 2_620])
    }

    @Test(
        arguments: [
            ("a@0", (0, 120)), ("a@12.5", (12_500, 120)), ("a@1+0", (1_000, 0)), ("a@2+60", (2_000, 60_000)),
            ("a@1000000", (1_000_000_000, 120)), ("a@1000000.1", nil), ("a@-0.1", nil), ("a@1+60.1", nil),
            ("a@1+-1", nil), ("a@1+2+3", nil), ("a@", nil), ("a", nil), ("@1", nil), ("a@nan", nil), ("a@b@1", nil),
        ] as [(String, (at: Int, hold: Int)?)])
    func aWrittenPressIsAButtonWithItsTimes(_ text: String, _ times: (at: Int, hold: Int)?) {
        let press = times.map {
            ScriptedPress(button: "a", at: .milliseconds($0.at), hold: .milliseconds($0.hold))
        }
        #expect(ScriptedPress(text) == press)
    }

    @Test func aValueTheQuestionCannotHaveIsNamed() throws {
        let participant = Participant(answers: ["q": .string("kiwi")])
        let format = AnswerFormat.choice(
            ChoiceFormat(options: PanelFixtures.options, isMultiple: false, isShuffled: false))
        var bench = Bench([Self.step(format)], on: .reference, participant)
        let error = #expect(throws: ParticipantError.self) { try bench.play(until: .zero + Self.minute * 100) }
        #expect(error?.description.contains("q") == true && error?.description.contains("kiwi") == true)
    }

    /// A finger goes down before it goes up, and up before it goes down again.
    @Test(arguments: [
        AnswerFormat.yesNo(yes: "Yes", no: "No"), .active(ActiveTask(TimedStepTests.tapping)),
        .active(ActiveTaskPlayTests.kicks),
    ])
    func everyPressIsLetGo(_ format: AnswerFormat) throws {
        var bench = Bench([Self.step(format)], on: .reference, Participant(otherwise: .first))
        try bench.play(until: .zero + Self.minute * 100)
        #expect(bench.submissions.count == 1 && bench.edges.count > 1)
        for button in Set(bench.edges.map(\.button)) {
            let own = bench.edges.filter { $0.button == button }
            #expect(own.enumerated().allSatisfy { $1.isPressed == $0.isMultiple(of: 2) } && own.count.isMultiple(of: 2))
            #expect(zip(own, own.dropFirst()).allSatisfy { $0.time < $1.time })
        }
    }
}
