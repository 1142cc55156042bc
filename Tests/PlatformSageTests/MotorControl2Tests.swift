// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import PlatformFixtures
import Study
import Testing

@testable import PlatformSage

/// MotorControl 2: identifiers, types and seconds of the files at `shared_resources/json/en.lproj`
/// of MotorControl-iOS (f303936), and the cases of its `TwoHandNavigationTests`.
@Suite struct MotorControl2Tests {
    private static let section = #"""
        {"identifier":"tremor","type":"section","steps":[
        {"identifier":"instruction","type":"handInstruction","title":"With %@"},
        {"identifier":"tremor","type":"motion","duration":30,"title":"%@","spokenInstructions":{"start":"%@","halfway":"h","23":"a","end":"e"}}]}
        """#
    private static let hands = #"""
        {"identifier":"handSelection","type":"choiceQuestion","title":"Which?","choices":[
        {"text":"R","value":"right"},{"text":"L","value":"left"},{"text":"B","value":"both"}]}
        """#

    /// The nodes of `tremor.json`; `hides` as in the file, or nothing, so that the way back shows.
    private static func tremor(hidden: String = "", order: [String] = ["left", "right"]) -> [String: String] {
        let sections = order.map {
            #"{"identifier":"\#($0)","type":"transform","resourceName":"tremor_section_step"}"#
        }.joined(separator: ",")
        return [
            "tremor.json": #"""
            {"identifier":"tremor","type":"twoHandAssessment",\#(hidden)"steps":[
            {"identifier":"introduction","type":"overview","title":"Tremor"},
            {"identifier":"handSelection","type":"transform","resourceName":"hand_selection_step"},
            {"identifier":"holdPhoneInstructions","type":"instruction","title":"Hold"},
            {"identifier":"sitDownInstruction","type":"instruction","title":"Sit"},
            \#(sections),
            {"identifier":"completion","type":"completion","title":"Great job!"}]}
            """#, "tremor_section_step.json": section, "hand_selection_step.json": hands,
        ]
    }

    private static let performed = AnswerValue.performance(
        Performance(TimedStepRecord(uptime: .zero, measured: .zero, pauses: 0, isComplete: true, taps: [])))

    /// The nodes of the task's own level, in order, as the test's `stepHistory` has them.
    private static func walk(_ task: StudyTask, _ hand: String?, seed: UInt8) -> [String] {
        var answers = ["left/tremor": performed, "right/tremor": performed]
        if let hand { answers["handSelection"] = .choices([hand]) }
        return SageSample.walk(task, answers, seed: seed).reduce(into: []) { nodes, key in
            let node = String(key.split(separator: "/")[0])
            if nodes.last != node { nodes.append(node) }
        }
    }

    private static let before = ["introduction", "handSelection", "holdPhoneInstructions", "sitDownInstruction"]

    @Test(arguments: [("left", [["left"]]), ("right", [["right"]])])
    func oneHandAloneIsUsed(hand: String, ways: [[String]]) throws {
        for order in [["left", "right"], ["right", "left"]] {
            let task = try SageSample.study(Self.tremor(order: order)).tasks[0]
            for seed in UInt8(1)...10 {
                #expect(Self.walk(task, hand, seed: seed) == Self.before + ways[0] + ["completion"])
            }
        }
    }

    /// `testTwoHandTremorHandSelection_both`, `testTwoHandTremorHandSelectionRandomization`; where
    /// nothing was chosen `nextNode` skips no hand.
    @Test(arguments: ["both", nil]) func bothHandsAreUsedInAnOrderThatIsDrawn(chosen: String?) throws {
        for order in [["left", "right"], ["right", "left"]] {
            let task = try SageSample.study(Self.tremor(order: order)).tasks[0]
            let walks = Set((UInt8(1)...20).map { Self.walk(task, chosen, seed: $0) })
            #expect(
                walks == [
                    Self.before + ["left", "right", "completion"], Self.before + ["right", "left", "completion"],
                ])
        }
    }

    /// `nodeAfter` of TwoHandAssessmentObject.swift says so whichever hand is first.
    @Test func thePathLeadsForwardFromHandToHand() throws {
        let study = try SageSample.study(Self.tremor())
        let own = try SageSample.source(of: study)
        let answers: [String: AnswerValue] = [
            "handSelection": .choices(["both"]), "left/tremor": Self.performed, "right/tremor": Self.performed,
        ]
        var ways: Set<[String]> = []
        for seed in UInt8(1)...20 {
            let submission = SageSample.submission(study.tasks[0], answers, seed: seed)
            let json = SageResults(submission, of: study.tasks[0], own, runUUID: "U", zone: .utc).json
            let path = try #require(JSONPlace(root: try JSONNode(Array(json.text.utf8))).member("path")?.elements)
            #expect(path.allSatisfy { $0.member("direction")?.text == "forward" })
            ways.insert(path.suffix(3).compactMap { $0.member("identifier")?.text })
        }
        #expect(ways == [["left", "right", "completion"], ["right", "left", "completion"]])
    }

    /// `testTwoHandTremorNodeBefore` and its four companions: the node behind which the back button
    /// leads, nil = nowhere.
    @Test(arguments: [
        ("introduction", nil), ("sitDownInstruction", "holdPhoneInstructions"), ("left/instruction", nil),
        ("right/instruction", nil), ("left/tremor", "left/instruction"), ("completion", nil),
    ])
    func theWayBackEndsAtAHandAndAtTheEnd(from: String, to: String?) throws {
        let task = try SageSample.study(Self.tremor()).tasks[0]
        var navigator = Navigator(SageSample.opened(task), facts: StudyFacts())
        _ = navigator.start()
        for _ in 0..<20 where navigator.current?.key != from {
            let key = navigator.current?.key ?? ""
            let answer =
                key == "handSelection" ? AnswerValue.choices(["both"]) : key.hasSuffix("/tremor") ? Self.performed : nil
            _ = navigator.answer(answer)
        }
        #expect(navigator.current?.key == from)
        let previous = navigator.back()?.key
        #expect(previous == to)
    }

    /// `MotionSensorNodeObject.recorderTypes` and `spokenInstruction(at:)`.
    @Test func aMotionStepLastsSpeaksAndRecordsByItself() throws {
        let study = try SageSample.study(Self.tremor(hidden: #""shouldHideActions":["goBackward","skip"],"#))
        let (task, own) = (study.tasks[0], try SageSample.source(of: study))
        #expect(task.recorders.map(\.identifier) == ["left_tremor", "right_tremor"])
        let recorder = try #require(task.recorders.first)
        #expect(recorder.kinds == [.accelerometer, .gyroscope])
        #expect(recorder.startStep == "left/tremor" && recorder.stopStep == "left/tremor")
        #expect(
            own.actions["left_tremor"]?.sensors == [
                "accelerometer", "gyro", "gravity", "userAcceleration", "attitude", "rotationRate",
            ])
        #expect(own.actions["left_tremor"]?.sections == ["left"])
        guard case .active(let active)? = task.content.steps.first(where: { $0.key == "right/tremor" })?.format,
            let rules = active.rules as? TimedStepRules
        else {
            Issue.record("no step that lasts")
            return
        }
        #expect(rules.duration == .seconds(30) && rules.beginsByItself && rules.goesOnByItself)
        #expect(rules.restartsAfterPause && rules.signalsStart && rules.signalsEnd && !rules.takesTaps)
        #expect(rules.lines.map(\.at) == [.zero, .seconds(15), .seconds(23), .seconds(30)])
        #expect(rules.lines[0].text == "right")
        #expect(task.content.steps.first { $0.key == "handSelection" }?.isRequired == true)
    }

    @Test func whatAnActionOfTheFileRecordsIsNotRecordedTwice() throws {
        let own = Self.section.replacing(
            #""type":"section","#,
            with: #""type":"section","asyncActions":[{"type":"motion","identifier":"motion"}],"#)
        var files = Self.tremor()
        files["tremor_section_step.json"] = own
        let study = try SageSample.study(files)
        #expect(study.tasks[0].recorders.map(\.identifier) == ["left_motion", "right_motion"])
        #expect(try SageSample.source(of: study).actions.keys.sorted() == ["left_motion", "right_motion"])
    }

    /// An action records within its section, one of the task within all of them.
    @Test(arguments: [
        ("", ["one_m", "two_own"]), (#""asyncActions":[{"type":"motion","identifier":"all"}],"#, ["two_own", "all"]),
    ])
    func anActionReplacesWhatTheStepsOfItsOwnSectionRecord(head: String, recorders: [String]) throws {
        let steps = #"""
            {"type":"section","identifier":"one","steps":[{"type":"motion","identifier":"m","duration":5}]},
            {"type":"section","identifier":"two","asyncActions":[{"type":"motion","identifier":"own"}],"steps":[
            {"type":"motion","identifier":"m","duration":5}]}
            """#
        let study = try SageSample.study(["t.json": SageSample.task(steps, head: head)])
        #expect(study.tasks[0].recorders.map(\.identifier) == recorders)
        #expect(try SageSample.source(of: study).actions.keys.sorted() == recorders.sorted())
    }

    @Test func anActionThatRecordsSomethingElseLeavesTheStepsOwn() throws {
        var files = Self.tremor()
        files["tremor_section_step.json"] = Self.section.replacing(
            #""type":"section","#,
            with: #""type":"section","asyncActions":[{"type":"microphone","identifier":"sound"}],"#)
        let study = try SageSample.study(files)
        #expect(
            study.tasks[0].recorders.map(\.identifier) == ["left_tremor", "left_sound", "right_tremor", "right_sound"])
    }

    @Test(arguments: [
        (#"{"identifier":"a","type":"backgroundCountdown","duration":5}"#, "countdown"),
        (#"{"identifier":"a","type":"mtcCountdown","duration":5,"isFirstRunOnly":true}"#, "countdown"),
        (#"{"identifier":"a","type":"mpowerActive","duration":5}"#, "active"),
        (#"{"identifier":"a","type":"walk","duration":5}"#, "motion"),
        (#"{"identifier":"a","type":"balance","duration":5}"#, "motion"),
    ])
    func stepsOfItsAppsAreSteps(step: String, name: String) throws {
        for type in ["walkAssessment", "motionTask", "audioRecorderTask", "assessment"] {
            let text =
                #"{"type":"\#(type)","identifier":"T","steps":[\#(step),{"type":"instruction","identifier":"b"}]}"#
            let study = try SageSample.study(["t.json": text])
            guard case .active(let active)? = study.tasks[0].content.steps.first?.format,
                let rules = active.rules as? TimedStepRules
            else {
                Issue.record("\(type)")
                continue
            }
            #expect(rules.name == name && rules.duration == .seconds(5))
        }
        let again = try SageSample.study([
            "t.json": SageSample.task(step + #",{"type":"instruction","identifier":"b"}"#)
        ])
        let told = SageSample.walk(again.tasks[0], ["a": Self.performed], facts: StudyFacts(completedTasks: ["T"]))
        #expect(told == (step.contains("isFirstRunOnly") ? ["b"] : ["a", "b"]))
    }

    @Test(arguments: [
        (#"{"identifier":"left","type":"instruction"}"#, "$"),
        (#"{"identifier":"left","type":"section","steps":[{"type":"instruction","identifier":"a"}]}"#, "$"),
        (#"{"identifier":"a","type":"motion"}"#, "$.steps[0].duration"),
        (#"{"identifier":"a","type":"transform"}"#, "$.steps[0].resourceName"),
    ])
    func whatCannotBeWalkedIsNamed(step: String, path: String) {
        let problems = SageSample.problems(#"{"type":"twoHandAssessment","identifier":"T","steps":[\#(step)]}"#)
        #expect(problems.map(\.path).contains(path), "\(problems)")
    }

    /// The folder with the app's own files, none of which is kept here.
    static let folder = getenv("STUDYD_MOTORCONTROL").map { String(cString: $0) }
    static let hasFolder: Bool = {
        if folder == nil {
            print(
                "SKIPPED: STUDYD_MOTORCONTROL does not name shared_resources/json/en.lproj of github Sage-Bionetworks/MotorControl-iOS"
            )
        }
        return folder != nil
    }()

    @Test(
        .enabled(if: hasFolder, "needs STUDYD_MOTORCONTROL"),
        arguments: [
            ("finger_tapping", 2), ("tremor", 2), ("kinetic_tremor", 2), ("walk_thirty_second", 1),
            ("walk_and_balance", 2),
        ])
    func theFilesOfTheAppAreReadUnmodified(name: String, recorders: Int) throws {
        let names = [
            "", "hand_selection_step", "tapping_section_step", "tremor_section_step", "kinetic_tremor_section_step",
            "walk_section_step", "balance_section_step",
        ]
        let files = try names.map { part in
            let file = (part.isEmpty ? name : part) + ".json"
            let bytes = try #require(Fixture.read("\(Self.folder ?? "")/\(file)"), "\(file)")
            return StudySource.File(name: file, bytes: bytes)
        }
        let source = StudySource(files: files)
        #expect(SageReader().recognises(source))
        let needed = SageReader().companions(of: files[0])
        #expect(!needed.isEmpty && needed.isSubset(of: files.map(\.name)))
        let study = try SageReader().decode(source)
        #expect(study.tasks.count == 1 && study.tasks[0].recorders.count == recorders)
        #expect(!study.remarks.contains { $0.message.contains("is not read") }, "\(study.remarks)")
    }
}
