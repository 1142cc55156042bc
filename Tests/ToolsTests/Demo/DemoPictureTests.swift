// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import SystemKit
import Terminal
import Testing

@testable import Agent
@testable import Device
@testable import Study
@testable import studyd_tools

@Suite struct DemoPictureTests {
    private static func picture() throws -> (DemoPicture, BoardDescription, Narrator) {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let panel = try Panel(board)
        let narrator = Narrator(zone: .utc, panel: panel, keys: board.buttons.map(\.terminalKey), explains: false)
        return (DemoPicture(board, panel: panel, address: "http://x", trace: SignalTrace()), board, narrator)
    }

    /// By the mixing of coloured light; dark, a light has no colour.
    @Test(
        arguments: [
            ([0, 0, 0], "off"), ([255, 255, 255], "white"), ([255, 255, 0], "yellow"), ([255, 0, 255], "violet"),
            ([255, 0, 0], "red"), ([0, 255, 0], "green"), ([0, 255, 255], "green"), ([0, 0, 255], "blue"),
            ([9, 9, 9], "on"),
            ([128, 127, 127], "red"), ([127, 128, 127], "green"), ([127, 127, 128], "blue"), ([127, 127, 127], "on"),
        ] as [([Int], String)])
    func aLightIsNamedByItsColour(light: [Int], words: String) throws {
        let (picture, board, narrator) = try Self.picture()
        let state = SimulatedPanelFolder.State(red: light[0], green: light[1], blue: light[2])
        let shown = picture.picture(
            nil, board.lights.map { _ in state }, narrator, tellsReleases: false, log: [],
            at: Moment(instant: .epoch, monotonic: .zero))
        #expect(shown.lights.map(\.words) == [words])
        #expect(shown.lights.allSatisfy { ($0.colour == nil) == (words == "off") })
    }

    /// Each second of each measure has a place in its strip.
    @Test func everySecondIsDrawn() throws {
        let (first, _, narrator) = try Self.picture()
        var picture = first
        let folder = try TemporaryFolder("strips")
        defer { folder.remove() }
        let frame = VectorFrame(values: SIMD8(repeating: 0), count: 3, time: .zero, isStamped: false)
        let channels = ["x", "y", "z"].map { Channel(name: $0, unit: .standardGravity, scale: 0.001) }
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(FrameRing(capacity: 4, repeating: frame)),
            source: SourceDescription(
                kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18", channels: channels, nominalRate: 100,
                fullScale: 8),
            origin: RecordingOrigin(
                study: "s", participant: "p", deviceID: 1, bootID: "b", zone: .utc),
            folder: RecordingFolder(folder.path))
        let state = MeasureState(recorder, lastHour: SampleCounts())
        for seconds in 0...3 {
            if seconds > 0 { picture.record([state], Ledger()) }
            let shown = picture.picture(
                nil, [], narrator, tellsReleases: false, log: [],
                at: Moment(instant: .epoch, monotonic: .zero))
            #expect(shown.signals.map(\.seconds.count) == (seconds > 0 ? [seconds] : []))
        }
    }

    private static let steps = [
        DemoBench.choice("c", isMultiple: false), DemoBench.choice("m", isMultiple: true),
        Step(
            key: "s", text: "How strong?",
            format: .slider(
                SliderFormat(minimum: 2, maximum: 12, step: 1, minimumLabel: "none", maximumLabel: ""))),
        DemoBench.yesNo("y"),
    ]

    private static func expect(_ card: BoardPicture.Card, _ heading: String, _ text: String) {
        #expect(card.heading == heading && card.text == text, "\(card.heading): \(card.text)")
    }

    private static func expect(_ card: BoardPicture.Card, here: [Bool], ticked: [Bool?]) {
        #expect(card.options.map(\.text) == ["1 red", "2 blue"])
        #expect(card.options.map(\.isHere) == here && card.options.map(\.isTicked) == ticked, "\(card.options)")
    }

    /// From rest over a prompt and its four questions back to rest.
    @Test func theCardShowsWhatIsAskedNow() throws {
        var bench = try DemoBench([DemoBench.task("t", Self.steps, at: [10])])
        Self.expect(bench.card, "at rest", "The next prompt comes at 10:10:00.")
        bench.wait(.seconds(600))
        Self.expect(bench.card, "a prompt waits", "Evening – A few questions")
        #expect(bench.card.currentPlace.isEmpty && bench.card.how.isEmpty)
        bench.press(.select)

        Self.expect(bench.card, "card 1: Evening", "Which colour?")
        Self.expect(bench.card, here: [false, false], ticked: [nil, nil])
        #expect(bench.card.currentPlace.isEmpty && !bench.card.how.isEmpty && bench.card.scale == nil)
        bench.press(.next)
        Self.expect(bench.card, here: [true, false], ticked: [nil, nil])
        bench.press(.next)
        Self.expect(bench.card, here: [false, true], ticked: [nil, nil])
        #expect(bench.card.currentPlace == "2. blue")
        bench.press(.select)

        Self.expect(bench.card, "card 2: Evening", "Which colour?")
        Self.expect(bench.card, here: [false, false], ticked: [false, false])
        bench.press(.next)
        bench.press(.select)
        Self.expect(bench.card, here: [true, false], ticked: [true, false])
        bench.press(.next)
        bench.press(.select)

        // From 2 to 12: moving begins in the middle, at 7.
        Self.expect(bench.card, "card 3: Evening", "How strong?")
        #expect(bench.card.options.isEmpty)
        #expect(bench.card.scale?.low == "2 none" && bench.card.scale?.high == "12" && bench.card.scale?.place == nil)
        bench.press(.next)
        #expect(bench.card.currentPlace == "8" && bench.card.scale?.place == 0.6)
        bench.press(.previous)
        #expect(bench.card.currentPlace == "7" && bench.card.scale?.place == 0.5)
        bench.press(.select)

        Self.expect(bench.card, "card 4: Evening", "Are you well?")
        #expect(bench.card.options.isEmpty && bench.card.scale == nil)
        #expect(bench.shown().buttons.map(\.meaning) == ["No", "skip", "Yes"])
        bench.press(.next)
        #expect(bench.card.heading == "Evening", "all is answered, and can be taken back")
        bench.stores = false
        bench.press(.select)
        #expect(bench.card.heading == "one moment")
        bench.send(.stored(SubmittedRun(task: "t", opening: 1)))
        Self.expect(bench.card, "at rest", "No more prompts will come.")
        bench.send(.studyStatus("Paused", isPaused: true))
        Self.expect(bench.card, "at rest", "The study is paused.")
    }

    /// A task of a single yes/no question is answered at its prompt.
    @Test func aPromptThatOnePressAnswersShowsItsQuestion() throws {
        var bench = try DemoBench([DemoBench.task("t", [DemoBench.yesNo("y")], at: [10])])
        #expect(bench.shown().buttons.map(\.meaning) == Array(repeating: "what you can do now", count: 3))
        bench.wait(.seconds(600))
        Self.expect(bench.card, "a prompt waits", "Evening – A few questions")
        #expect(bench.card.currentPlace == "card 1: Are you well?")
        #expect(bench.shown().buttons.map(\.meaning) == ["No", "start", "Yes"])
    }

    @Test func theMenuIsAListWithThePlaceInIt() throws {
        var bench = try DemoBench([DemoBench.task("t", Self.steps, at: [10])])
        bench.press(.menu)
        for place in 0..<2 {
            let card = bench.card
            #expect(card.heading == "choose" && card.options.first?.text == "1 Back")
            #expect(card.options[1].text == "2 Switch prompts off")
            #expect(card.options.indices.filter { card.options[$0].isHere } == [place])
            #expect(card.options.allSatisfy { $0.isTicked == nil })
            bench.press(.next)
        }
        bench.press(.undo)
        #expect(bench.card.heading == "at rest")
    }

    /// Of the steps of a hold the first is the press itself; one that does nothing is left out.
    @Test func whatHoldsDoIsShownOfTheButtonsThatHaveSteps() throws {
        let bench = try DemoBench([DemoBench.task("t", Self.steps, at: [10])])
        #expect(bench.shown().holds == ["hold [s] 0.8 s what you can do now, 2.5 s menu"])
    }

    /// A reaction test takes presses themselves: undo means nothing, and only a hold opens the menu.
    @Test func whatAPressMeansInAReactionTestIsShown() throws {
        let rules = VigilanceRules(
            trials: 3, minimumWaiting: .seconds(2), maximumWaiting: .seconds(6), maximumReaction: .seconds(1),
            showsResults: false, allowsLeaving: true)
        let step = Step(key: "v", text: "", format: .active(ActiveTask(rules)))
        var bench = try DemoBench([DemoBench.task("t", [step], at: [10])], hasFiveButtons: true)
        #expect(bench.shown().buttons.last?.meaning == "menu")
        bench.wait(.seconds(600))
        bench.press(.select)
        #expect(bench.shown().buttons.map(\.meaning) == ["start", "start", "start", "", ""])
        #expect(bench.shown().holds == ["hold [s] 2.5 s menu"])
    }

    @Test func aRhythmIsShownUntilItIsOver() throws {
        var bench = try DemoBench([DemoBench.task("t", Self.steps, at: [10])])
        bench.wait(.seconds(600))
        let end = bench.narrator.rhythm.until
        #expect(end > bench.now.monotonic)
        func rhythm(at time: MonotonicTime) -> String {
            bench.shown(at: Moment(instant: bench.now.instant, monotonic: time)).rhythm
        }
        #expect(rhythm(at: end - .nanoseconds(1)) == "-.-.")
        #expect(rhythm(at: end) == "")
    }

    /// The light of a button is drawn at the button, the others in their row; the buzzer is the first light's.
    @Test func aButtonHasItsOwnLight() throws {
        var bench = try DemoBench([DemoBench.task("t", Self.steps, at: [10])])
        let (red, dark) = (
            SimulatedPanelFolder.State(red: 255), SimulatedPanelFolder.State(tone: 440.5)
        )
        let picture = bench.shown([dark, red])
        #expect(picture.lights.map(\.name) == ["status"] && picture.lights.map(\.words) == ["off"])
        #expect(picture.buttons.map { $0.light != nil } == [false, true, false])
        #expect(picture.sound == "440 Hz")
        let other = bench.shown([red, dark])
        #expect(other.lights.map(\.words) == ["red"] && other.buttons.allSatisfy { $0.light == nil })
        #expect(other.sound.isEmpty)

        #expect(picture.title == "studyd-tools demo · simulated · http://x/" && picture.clock == "10:00:00")
        #expect(picture.legend.first == "[a] [s] [d]: press" && picture.legend.last == "[q] end")
        #expect(picture.buttons.map(\.key) == ["a", "s", "d"] && picture.buttons.allSatisfy { !$0.isDown })
        bench.send(.button(ButtonEvent(button: 1, isPressed: true, time: bench.now.monotonic)))
        #expect(bench.shown().buttons.map(\.isDown) == [false, true, false])
    }

    @Test func aComplaintIsShownUntilTheAnswerIsThere() throws {
        let yesNo = AnswerFormat.yesNo(yes: "Yes", no: "No")
        let needed = Step(key: "n", text: "Are you well?", format: yesNo, isRequired: true)
        var bench = try DemoBench([DemoBench.task("t", [needed, DemoBench.yesNo("y")], at: [10])])
        bench.wait(.seconds(600))
        bench.press(.select)
        #expect(bench.card.heading == "card 1: Evening" && bench.card.complaint.isEmpty)
        bench.press(.select)
        #expect(bench.card.heading == "card 1: Evening" && bench.card.complaint == "This question needs an answer")
        bench.press(.next)
        #expect(bench.card.heading == "card 2: Evening" && bench.card.complaint.isEmpty)
    }

    @Test func aNumberIsDrawnInPlaceOfTheSymbolThatWasSteppedTo() throws {
        let format = NumberFormat(minimum: 0, maximum: 99, maximumFractionDigits: 0, unit: "kg")
        let step = Step(key: "n", text: "How heavy?", format: .number(format))
        var bench = try DemoBench([DemoBench.task("t", [step, DemoBench.yesNo("y")], at: [10])])
        bench.wait(.seconds(600))
        bench.press(.select)
        #expect(bench.card.drawing.isEmpty)
        bench.press(.next)
        #expect(bench.card.drawing == ["[1] kg"] && bench.card.currentPlace.isEmpty)
    }

    /// Whole numbers have no point.
    @Test(arguments: [(0.5, 2.5, "0.5", "2.5"), (-1, 1, "-1", "1"), (0, 1.5, "0", "1.5")])
    func theEndsOfAScaleAreSpelledAsTheyAre(minimum: Double, maximum: Double, low: String, high: String) throws {
        let format = SliderFormat(
            minimum: minimum, maximum: maximum, step: 0.5, minimumLabel: "", maximumLabel: "at most")
        let step = Step(key: "s", text: "How strong?", format: .slider(format))
        var bench = try DemoBench([DemoBench.task("t", [step, DemoBench.yesNo("y")], at: [10])])
        bench.wait(.seconds(600))
        bench.press(.select)
        #expect(bench.card.scale?.low == low && bench.card.scale?.high == "\(high) at most")
    }
}
