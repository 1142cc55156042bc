// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

struct CardSheetTests {
    static func study(_ tasks: [StudyTask], name: String = "Demo") -> StudyProtocol {
        var texts = StudyTexts()
        texts.name = name
        texts.contactEmail = "team@example.org"
        return StudyProtocol(
            platform: PlatformName(rawValue: "schema"), studyID: "demo", texts: texts, conditions: [], tasks: tasks,
            postURL: nil, writer: NoReports())
    }

    static let everyKind: [Step] = [
        Step(key: "a", text: "This is an instruction.", format: .instruction),
        Step(key: "b", text: "Did you smoke in the last hour?", format: .yesNo(yes: "Yes", no: "No"), isRequired: true),
        Step(
            key: "c", text: "Which?", format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: false))),
        Step(
            key: "d", text: "Which ones?",
            format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true))),
        Step(
            key: "e", text: "How do you feel right now?",
            format: .slider(
                SliderFormat(minimum: 0, maximum: 100, step: 1, minimumLabel: "awful", maximumLabel: "great"))),
        Step(
            key: "f", text: "Your weight?",
            format: .number(NumberFormat(minimum: 20, maximum: 300, maximumFractionDigits: 1, unit: "kg"))),
        Step(key: "g", text: "When did you get up?", format: .dateTime(.time)),
        Step(key: "h", text: "What were you doing?", format: .text(multiline: true)),
        Step(
            key: "i", text: "Look at this.",
            format: .media(MediaReference(kind: .image, source: "https://example.org/a.png?x=1&y=2", path: "$"))),
    ]

    @Test func everyCardHasItsNumberAndEveryTextIsEscaped() {
        let evil = "<script>alert('1')</script> & \"quotes\""
        let step = Step(
            key: "x", text: evil,
            format: .choice(ChoiceFormat(options: [.init(value: evil, text: evil)], isMultiple: false)))
        let html = CardSheet(
            Self.study([PanelFixtures.task([step] + Self.everyKind, key: evil)], name: evil), panel: .reference
        ).html
        #expect(!html.contains("<script"))
        #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)"))
        for number in 1...10 { #expect(html.contains("<b>\(number)</b>")) }
        #expect(html.contains("src=\"https://example.org/a.png?x=1&amp;y=2\""))
        #expect(html.contains("picture (not downloaded): https://example.org/a.png?x=1&amp;y=2"))
    }

    @Test func theSheetSaysHowLongTheParticipantsButtonsAreHeld() {
        var panel = PanelFixtures.one
        let study = Self.study([PanelFixtures.task(Self.everyKind)])
        let usual = CardSheet(study, panel: panel).html
        panel.holdTimes = .slow
        let slow = CardSheet(study, panel: panel).html
        #expect(usual.contains("(0.6 s)") && usual.contains("after 4 seconds") && !usual.contains("slow hands"))
        #expect(slow.contains("(1.5 s)") && slow.contains("after 10 seconds") && slow.contains("slow hands"))
        #expect(!slow.contains("(0.6 s)"))
    }

    /// The app opens `src + "?uuid=" + uuid` (schema-app/schema, 45fd178: survey.page.ts).
    /// A participant who is asked for a photo reads, and hears, that there is no camera.
    @Test func withoutACameraThePhotoStepSaysSo() throws {
        let format = AnswerFormat.media(MediaReference(kind: .photo, source: "", path: "$"))
        let words = "This device has no camera: no photo is taken"
        let sheet = CardSheet(
            Self.study([PanelFixtures.task([Step(key: "x", text: "Show us", format: format)])]), panel: .reference)
        #expect(sheet.html.contains("<p class=unit>\(words)</p>"))
        var step = InstructionStep(MediaReference(kind: .photo, source: "", path: "$"), plays: false)
        #expect(step.begin() == [.say(.say(MediaPhrases.noCamera))])
        #expect(format.kind.presentation(on: .reference).contains("no photo is taken") && !format.isQuestion)
    }

    @Test func anExternalPageIsNamedWithTheParticipantsID() {
        let media = MediaReference(kind: .web, source: "https://example.org/form?uuid=", path: "$")
        let study = Self.study([PanelFixtures.task([Step(key: "x", text: "", format: .media(media))])])
        let known = CardSheet(study, panel: .reference, participant: "ABC23456").html
        #expect(known.contains("web: https://example.org/form?uuid=ABC23456"))
        #expect(
            CardSheet(study, panel: .reference).html.contains("https://example.org/form?uuid=<i>your participant id"))
    }

    @Test func pictureAddressesThatAreNoPicturesAreOnlyNamed() {
        let media = MediaReference(kind: .image, source: "javascript:alert(1)", path: "$")
        let html = CardSheet(
            Self.study([PanelFixtures.task([Step(key: "x", text: "", format: .media(media))])]), panel: .reference
        ).html
        #expect(!html.contains("<img"))
    }

    @Test func aGivenPictureIsPutIn() {
        let sheet = CardSheet(
            Self.study([PanelFixtures.task(Self.everyKind)]), panel: .reference,
            pictures: ["https://example.org/a.png?x=1&y=2": "data:image/png;base64,AAAA"])
        #expect(sheet.html.contains("src=\"data:image/png;base64,AAAA\""))
    }

    private static func signals(_ steps: [Step], on panel: Panel = .reference) -> Set<String> {
        let html = CardSheet(study([PanelFixtures.task(steps)]), panel: panel).html
        let all = SignalTable.entries.map { $0.meaning.text(in: .english) }
        return Set(all.filter { html.contains("<span>\($0)</span>") })
    }

    @Test func onlySignalsThatTheStudyCanGiveArePrinted() {
        let yesNo = Self.signals([Self.everyKind[1]])
        #expect(yesNo.isSuperset(of: ["a prompt waits", "an answer is needed", "stored in 4 seconds unless undone"]))
        let others = [
            "a kick was counted", "your turn", "option 3, ticked", "clear the entry", "right? submit?",
            "time is running out", "a game was lost", "option or position (here 3)", "recording starts",
            "recording ends", "reacted to the light",
        ]
        #expect(yesNo.isDisjoint(with: others), "\(yesNo.intersection(others))")
        let kicks = Self.signals([
            Step(key: "k", text: "", format: .active(ActiveTask(KickCounterRules(duration: .seconds(60), count: 3))))
        ])
        #expect(kicks.isSuperset(of: ["a kick was counted", "recording starts", "time is up"]))
        #expect(Self.signals(Self.everyKind).isSuperset(of: ["option 3, ticked", "clear the entry", "right? submit?"]))
    }

    private static let met: [(AnswerFormat, Panel, [String])] = [
        (.yesNo(yes: "Yes", no: "No"), .reference, ["time is up"]),
        (
            .active(
                ActiveTask(
                    GoNoGoRules(
                        ReactionTerms(
                            minimumStimulusInterval: .seconds(1), maximumStimulusInterval: .seconds(2),
                            timeout: .seconds(1), numberOfAttempts: 3, maxTotalAttempts: 9)))), .reference,
            [
                "a game was won", "a game was lost", "reacted to the light", "pressed before the light",
                "not pressed in time",
            ]
        ),
        (
            .active(ActiveTask(KickCounterRules(duration: .seconds(60), count: 3))), .reference,
            ["read back (here 42)"]
        ),
        (
            .active(ActiveTask(TowerOfHanoiRules(disks: 3))), .reference,
            ["towers (here disks 1, 3, none on top)", "the disks of one tower, from below (here 3, 1)"]
        ),
        (everyKind[2].format, .reference, ["option or position (here 3)"]),
        (everyKind[3].format, .reference, ["option or position (here 3)"]),
        (everyKind[4].format, .reference, ["read back (here 42)", "option or position (here 3)"]),
        (everyKind[5].format, .reference, ["read back (here 42)", "option or position (here 3)"]),
        (everyKind[4].format, PanelFixtures.two, ["no answer: choose to skip the question"]),
        (.dateTime(.date), .reference, ["right? submit?", "option or position (here 3)"]),
        (.recording, .reference, ["time is running out", "recording ends"]),
        // Without letters a text is spoken.
        (.text(multiline: true), .reference, ["time is running out", "recording starts", "recording ends"]),
        (.countdown(.seconds(9)), .reference, ["time is running out", "recording starts"]),
    ]

    @Test(arguments: met.indices) func signalsThatAStepGivesByItselfArePrinted(_ index: Int) {
        let (format, panel, wanted) = Self.met[index]
        let step = Step(key: "x", text: "?", format: format, isRequired: true)
        let printed = Self.signals([step], on: panel)
        #expect(printed.isSuperset(of: wanted), "\(Set(wanted).subtracting(printed))")
    }

    @Test func whatIsLeftUnansweredIsReadBack() {
        let step = Step(key: "x", text: "?", format: .yesNo(yes: "Yes", no: "No"))
        #expect(Self.signals([step]).contains("no answer: choose to skip the question"))
    }

    /// Large print begins at 14 pt (American Council of the Blind, Best Practices and Guidelines
    /// for Large Print Documents, asks for 18 and the RNIB's Clear Print for 14).
    @Test func nothingIsPrintedSmallerThanFourteenPoints() {
        let html = CardSheet(Self.study([PanelFixtures.task(Self.everyKind)]), panel: .reference).html
        let sizes = html.matches(of: /font(?:-size)?:(\d+)pt/).compactMap { Int($0.1) }
        #expect(sizes.count > 3 && sizes.allSatisfy { $0 >= 14 }, "\(sizes)")
    }

    @Test func buttonsAreCalledByWhatIsPrintedOnThemElseByWhereTheyLie() {
        func html(_ panel: Panel) -> String {
            CardSheet(Self.study([PanelFixtures.task([Self.everyKind[1]])]), panel: panel).html
        }
        #expect(html(.reference).contains("<span><b>No</b>press LEFT</span><span><b>Yes</b>press RIGHT</span>"))
        #expect(html(PanelFixtures.one).contains("<b>No</b>press THE BUTTON"))
        // docs/panel.md: on three buttons next and previous are yes and no, on fewer choosing is yes.
        #expect(html(.reference).contains("next, more, yes") && html(.reference).contains("previous, less, no"))
        for panel in [PanelFixtures.one, PanelFixtures.two] {
            #expect(html(panel).contains("choose, continue, OK, yes") && html(panel).contains("next, more, no"))
        }
        #expect(Panel.reference.printedName(of: 1, in: Words(for: "de")) == "MITTE")
        #expect(PanelFixtures.panel(["Knopf A"]).printedName(of: 0) == "KNOPF A")
    }

    /// Whichever button is held by mistake: docs/panel.md.
    @Test(
        arguments: [
            (PanelFixtures.one, ["Hold THE BUTTON until 5 blinks (6 s)"]),
            (PanelFixtures.two, ["Hold LEFT until 3 blinks (3 s)", "Hold RIGHT until 4 blinks (6 s)"]),
            (.reference, ["Hold MIDDLE until 4 blinks (6 s)"]),
        ] as [(Panel, [String])]) func everyHoldThatMeansNothingIsPrinted(panel: Panel, holds: [String])
    {
        let html = CardSheet(Self.study([PanelFixtures.task([Self.everyKind[1]])]), panel: panel).html
        let found = html.matches(of: /<th>([^<]*)<\/th><td>nothing:/).map { String($0.1) }
        #expect(found == holds)
    }

    /// docs/panel.md: of two buttons the left one steps and the right one chooses. A role is no word for a participant,
    /// neither in print nor by voice.
    @Test(arguments: [
        (["previous", "select", "next"], ["left", "middle", "right"]), (["next", "select"], ["left", "right"]),
        (["step", "choose"], ["left", "right"]), (["select"], ["the button"]), (["button"], ["the button"]),
        (["up", "select", "next"], ["up", "middle", "right"]),
    ]) func aButtonNamedAfterWhatItDoesIsCalledByWhereItLies(names: [String], called: [String]) {
        let panel = PanelFixtures.panel(names, speaks: true)
        #expect(panel.buttons.indices.map { panel.printedName(of: $0) } == called.map { $0.uppercased() })
        #expect(panel.buttons.map { Signals(panel).plan(.button($0)).speech.map(\.text) } == called.map { [$0] })
    }

    @Test(arguments: PanelFixtures.panels) func cardNumbersFollowTheFile(_ panel: Panel) {
        let tasks = [PanelFixtures.task(Self.everyKind, key: "a"), PanelFixtures.task(Self.everyKind, key: "b")]
        let index = CardIndex(tasks)
        #expect(index.cards.map(\.number) == Array(1...18))
        #expect(index.number(task: "b", step: "c") == 12)
        #expect(index.number(task: "b", step: "zzz") == nil)
    }

    /// What a study of that one step never gives.
    private static let unmet: [(AnswerFormat, Panel, [String])] = [
        (
            .yesNo(yes: "Yes", no: "No"), .reference,
            [
                "read back (here 42)", "option or position (here 3)", "letter (here the third)",
                "done: choose to finish",
                "clear the entry", "right? submit?", "recording starts", "recording ends", "time is running out",
                "idle, sensors paused", "the sensors' pause begins", "the sensors' pause is over", "event noted",
                "towers (here disks 1, 3, none on top)", "watch: a sequence is coming", "a game was won",
                "a kick was counted", "not pressed in time", "the disks of one tower, from below (here 3, 1)",
            ]
        ),
        (.active(ActiveTask(TowerOfHanoiRules(disks: 3))), .reference, ["a kick was counted"]),
        (.yesNo(yes: "Yes", no: "No"), PanelFixtures.two, ["no answer: choose to skip the question"]),
        (everyKind[4].format, .reference, ["no answer: choose to skip the question", "done: choose to finish"]),
        (everyKind[3].format, PanelFixtures.two, ["no answer: choose to skip the question", "clear the entry"]),
        (everyKind[2].format, .reference, ["option 3, ticked", "done: choose to finish", "read back (here 42)"]),
        (.dateTime(.date), .reference, ["done: choose to finish", "clear the entry", "recording starts"]),
        (.countdown(.seconds(9)), .reference, ["recording ends", "option or position (here 3)"]),
        (.text(multiline: true), .reference, ["letter (here the third)", "done: choose to finish", "right? submit?"]),
        (.instruction, .reference, ["stored in 4 seconds unless undone", "right? submit?"]),
    ]

    @Test(arguments: unmet.indices) func signalsThatAStepNeverGivesAreNotPrinted(_ index: Int) {
        let (format, panel, absent) = Self.unmet[index]
        let printed = Self.signals([Step(key: "x", text: "?", format: format, isRequired: true)], on: panel)
        #expect(printed.isDisjoint(with: absent), "\(printed.intersection(absent))")
        // Each of them is one that other studies print.
        let meanings = SignalTable.entries.map { $0.meaning.text(in: .english) }
        #expect(Set(meanings).isSuperset(of: absent), "\(Set(absent).subtracting(meanings))")
    }

    /// docs/panel.md: a pause of the sensors, and a button for events, are there where they were set up.
    @Test func whatWasSetUpIsExplained() throws {
        var panel = Panel.reference
        panel.pause = .seconds(600)
        let pauses = ["idle, sensors paused", "the sensors' pause begins", "the sensors' pause is over"]
        #expect(Self.signals([Self.everyKind[1]], on: panel).isSuperset(of: pauses))
        let marking = try BoundButtonTests.panel(["a", "b", "c"])
        #expect(Self.signals([Self.everyKind[1]], on: marking).contains("event noted"))
    }
}
