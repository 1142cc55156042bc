// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// An active task of the example study, played by the scripted participant. Unchanged it records
/// nothing; where its options name recorders, what these wrote lies in separate files, and is named
/// in the tree of its results.
@Suite struct TaskRecordingTests {
    private static let tower = Programs.package + "/studies/mystudies/Towers_1.0.json"
    private static let everything = #"["accelerometer", "deviceMotion", "pedometer", "location", "audio"]"#

    /// No consent form speaks of it: neither of the apps records anything while a task is done.
    @Test(.timeLimit(.minutes(20))) func aTaskWhoseOptionsNameNothingRecordsNothing() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer", "magnetometer"], rotate: "1h")
            try stage.board(
                .init(participant: #"{"latency":"0s","answers":{"Towers":"perfect"}}"#, wishes: ["Towers"]))
            let agent = try await stage.agent()
            #expect(
                try await stage.studyd(
                    "enroll", Self.tower, "--participant", "P9", "--seed", "1", "--post-url",
                    "http://127.0.0.1:9/answers"
                ).code == 0)
            try await eventually("the tower is submitted") { try await stage.submissions() > 0 }
            let listed = try await stage.studyd("history", "--results")
            let path = try #require(listed.output.split(separator: "\n").first.map(String.init), "\(listed)")
            #expect(try JSON(parsing: Files.text(path))["asyncResults"].list.isEmpty)
            #expect(Self.ofTasks(stage, ".json").isEmpty && Self.ofTasks(stage, ".open").isEmpty)
            try await agent.stop()
            try await stage.expectWhole()
            // What a withdrawal keeps can still be listed; the task may have been done again by now.
            let done = try await stage.studyd("history", "--results").output
            #expect(try await stage.studyd("withdraw", "--keep-unsent").code == 0)
            let kept = try await stage.studyd("history", "--results").output
            #expect(done.contains(path) && kept == done, "\(kept)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func aTowerIsPlayedAndItsMotionIsInAFileOfItsOwn() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer", "magnetometer"], rotate: "1h")
            try stage.board(
                .init(participant: #"{"latency":"0s","answers":{"Towers":"perfect"}}"#, wishes: ["Towers"]))
            let agent = try await stage.agent()
            let enrolled = try await stage.studyd(
                "enroll", try Self.recording(stage, "Towers"), "--participant", "P9", "--seed", "1", "--post-url",
                "http://127.0.0.1:9/answers")
            #expect(enrolled.code == 0, "\(enrolled)")
            try await eventually("the tower is submitted") { try await stage.submissions() > 0 }

            let listed = try await stage.studyd("history", "--results")
            let path = try #require(listed.output.split(separator: "\n").first.map(String.init), "\(listed)")
            #expect(path.hasPrefix(stage.state + "/results/") && path.hasSuffix("/Towers-1.json"))
            let tree = try JSON(parsing: Files.text(path))
            #expect(tree["type"].text == "assessment" && tree["identifier"].text == "Towers")
            let step = try #require(tree["stepHistory"].list.first { $0["identifier"].text == "Towers" })
            #expect(step["value"]["puzzleWasSolved"].isTrue && step["value"]["moves"].list.count == 7, "\(step)")

            try await theMotionCoversTheTask(stage, tree, step)
            try whatIsNotMeasuredIsAnError(tree)
            try await agent.stop()
            try await stage.expectWhole()
            let left = try await stage.studyd("withdraw", "--delete-unsent")
            #expect(left.code == 0 && Files.text(path).isEmpty, "\(left)")
        }
    }

    private func theMotionCoversTheTask(_ stage: Stage, _ tree: JSON, _ step: JSON) async throws {
        let results = tree["asyncResults"].list
        let file = try #require(results.first { $0["identifier"].text == "accelerometer" }, "\(results)")
        let name = file["relativePath"].text
        #expect(file["type"].text == "file" && name.hasSuffix("-accelerometer.cwa"))
        let recording = stage.state + "/recordings/" + name
        let description = try JSON(parsing: Files.text(recording.dropLast(3) + "json"))
        #expect(description["task"]["task"].text == "Towers" && description["task"]["step"].text == "Towers")
        #expect(description["task"]["recorders"].list.map(\.text) == ["accelerometer", "deviceMotion"])

        let exported = try await stage.tools("export", recording, "--to", "csv")
        #expect(exported.code == 0, "\(exported.errors)")
        let times = exported.output.split(separator: "\n").compactMap { line -> Substring? in
            line.first?.isNumber == true ? line.prefix(23) : nil
        }
        let (first, last) = (try #require(times.first), try #require(times.last))
        // Wall times of one zone, to the millisecond: they compare as texts.
        #expect(first.prefix(19) >= step["startDate"].text.prefix(19), "\(first) \(step)")
        #expect(last >= step["endDate"].text.prefix(23), "\(last) \(step)")
        #expect(times.count >= 500)
    }

    private func whatIsNotMeasuredIsAnError(_ tree: JSON) throws {
        let errors = tree["asyncResults"].list.filter { $0["type"].text == "error" }
        #expect(
            errors.map { $0["identifier"].text }
                == ["deviceMotion_gyroscope", "pedometer", "location", "audio"])
        #expect(errors.allSatisfy { $0["errorCode"].int == 1 && !$0["errorDescription"].text.isEmpty })
    }

    /// Nothing of a run that is left is kept, as with what was spoken.
    @Test(.timeLimit(.minutes(20))) func aDeviceThatEndsInTheMiddleOfATaskKeepsNothingOfIt() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer"], rotate: "1h")
            try stage.board(.init(participant: #"{"latency":"0s","answers":{"Towers":[[]]}}"#, wishes: ["Towers"]))
            let agent = try await stage.agent()
            let study = try Self.recording(stage, "Towers")
            #expect(
                try await stage.studyd(
                    "enroll", study, "--participant", "P9", "--seed", "1", "--post-url", "http://127.0.0.1:9/answers"
                ).code == 0)
            try await eventually("the recorder of the task runs") {
                Self.ofTasks(stage, ".open").count == 1
            }
            try await agent.stop()
            #expect(Self.ofTasks(stage, ".json").count == 1)
            let again = try await stage.agent()
            try await eventually("what was recorded of it is gone") {
                Self.ofTasks(stage, ".json").isEmpty
            }
            try await again.stop()
            try await stage.expectWhole()
        }
    }

    /// A count of kicks goes on after a power cut, and so does what is recorded of it: both files
    /// are in its result.
    @Test(.timeLimit(.minutes(20))) func aCountOfKicksThatGoesOnKeepsWhatWasRecordedBefore() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer"], rotate: "1h")
            try stage.board(.init(participant: #"{"latency":"0s","answers":{"Kicks":"perfect"}}"#, wishes: ["Kicks"]))
            let agent = try await stage.agent()
            let study = try Self.recording(stage, "Kicks")
            #expect(
                try await stage.studyd(
                    "enroll", study, "--participant", "P9", "--seed", "1", "--post-url", "http://127.0.0.1:9/answers"
                ).code == 0)
            try await eventually("some motion of the count is on the disk") {
                Files.names(stage.state + "/recordings").contains { name in
                    guard name.hasSuffix(".partial") else { return false }
                    let draft = stage.state + "/recordings/" + name.prefix { $0 != "." } + ".open"
                    return Files.text(draft).contains("\"task:")
                        && Files.text(stage.state + "/recordings/" + name).utf8.count > 4096
                }
            }
            try await agent.kill9()
            let again = try await stage.agent()
            try await eventually("the count is submitted") { try await stage.submissions() > 0 }
            let listed = try await stage.studyd("history", "--results")
            let path = try #require(listed.output.split(separator: "\n").first.map(String.init), "\(listed)")
            let tree = try JSON(parsing: Files.text(path))
            let files = tree["asyncResults"].list.filter { $0["type"].text == "file" }
            #expect(Set(files.map { $0["relativePath"].text }).count >= 2, "\(tree["asyncResults"])")
            try await again.stop()
            try await stage.expectWhole()
        }
    }

    /// The example's task, which names every recorder.
    private static func recording(_ stage: Stage, _ name: String) throws -> String {
        let text = Files.text(Programs.package + "/studies/mystudies/\(name)_1.0.json")
        // A count of a minute at most.
        let named = text.replacing("\"options\": []", with: "\"options\": " + everything).replacing("7200", with: "60")
        try Files.write(named, to: stage.folder + "/\(name)_1.0.json")
        return stage.folder + "/\(name)_1.0.json"
    }

    /// Descriptions of files that were recorded for a task.
    private static func ofTasks(_ stage: Stage, _ ending: String) -> [String] {
        Files.names(stage.state + "/recordings").filter { name in
            name.hasSuffix(ending) && Files.text(stage.state + "/recordings/" + name).contains("\"task:")
        }
    }
}
