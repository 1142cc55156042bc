// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// What becomes of a participant's answers on the device: after they were deleted, and when the
/// device goes to somebody else.
@Suite(.timeLimit(.minutes(20))) struct HandOverTests {
    /// An answer that stands nowhere else.
    static let answer = "4271.9385"
    static let activity = """
        {"message":"SUCCESS","activity":{"type":"questionnaire","metadata":{"studyId":"EXAMPLE","activityId":"Extra","name":"Extra",
        "version":"1.0","lastModified":"2026-01-01T00:00:00.000-0500","startDate":"","endDate":""},"steps":[
        {"type":"question","resultType":"numeric","key":"secretNumber","title":"How many?","text":"","skippable":false,"groupName":"",
        "repeatable":false,"repeatableText":"","destinations":[],"healthDataKey":"","format":{"style":"Decimal","minValue":0,"maxValue":9999},
        "steps":[],"options":[]}]}}
        """

    static func lab(_ stage: Stage) async throws -> MyStudiesLab {
        let lab = try await MyStudiesLab(stage, files: ["Extra_1.0.json": activity])
        try lab.edit(
            "activityList.json", "\"activities\": [",
            by: "\"activities\": [" + MyStudiesFollowTests.entry(MyStudiesFollowTests.once))
        try stage.board(
            .init(participant: #"{"latency":"0s","answers":{"secretNumber":\#(answer)},"otherwise":"first"}"#))
        return lab
    }

    static func submits(_ lab: MyStudiesLab) async throws {
        try await eventually("the run with the answer arrives") {
            try await lab.runs().contains { $0["activity"].text == "Extra" && $0["status"].text == "Processed" }
        }
    }

    /// Whether the answer is anywhere in the device's state: tables, free pages, write-ahead log,
    /// results, recordings.
    static func holdsAnswer(_ stage: Stage) async throws -> Bool { try await holds(answer, stage) }

    static func holds(_ text: String, _ stage: Stage) async throws -> Bool {
        let found = try stage.start(["grep", "-rlaF", text, stage.state])
        return try await found.ended() == 0
    }

    /// As the device itself tells it.
    static func participant(_ stage: Stage) async throws -> String {
        let line = try await stage.studyd("study").output.split(separator: "\n").first ?? ""
        return try #require(line.split(separator: " ").last.map(String.init))
    }

    /// The one closed log is a file that can be read alone, and its chain is whole for the device
    /// and for `sqlite3`.
    static func expectClosed(_ stage: Stage) async throws {
        let folder = stage.state + "/closed"
        let closed = Files.names(folder)
        #expect(closed.count == 1 && closed[0].hasSuffix(".sqlite"), "\(closed)")
        let verified = try await stage.studyd("verify-log", folder + "/" + closed[0])
        #expect(verified.code == 0 && verified.output.contains("intact"), "\(verified)")
    }

    @Test func deletingTheDataDeletesThemFromTheDeviceToo() async throws {
        try await Stage.with { stage in
            let lab = try await Self.lab(stage)
            try await lab.enrol()
            let agent = try await stage.agent()
            try await Self.submits(lab)
            #expect(try await Self.holdsAnswer(stage))
            let left = try await stage.studyd("withdraw", "--delete-data")
            #expect(left.code == 0, "\(left)")
            try await eventually("nothing of the answer is left") {
                try await !Self.holdsAnswer(stage)
            }
            try await eventually("nor at the server") { try await lab.runs().isEmpty }
            #expect(try await Self.holds(#""deletesData":true"#, stage), "what the lab's receiver learns of it")
            try await agent.stop()
            #expect(try await !Self.holdsAnswer(stage))
            try await stage.expectWhole()
            let participant = try await Self.participant(stage)
            #expect(try await Self.holds(participant, stage))
            let handed = try await stage.studyd("hand-over")
            #expect(handed.code == 0, "\(handed)")
            #expect(try await !Self.holds(participant, stage), "who had the answers deleted is not named in what stays")
            try await Self.expectClosed(stage)
        }
    }

    @Test func aHandedOverDeviceEnrolsAnotherParticipantInAStudyWithoutReEnrolment() async throws {
        try await Stage.with { stage in
            let lab = try await Self.lab(stage)
            try lab.edit("study.json", "\"rejoin\": true", by: "\"rejoin\": false")
            try await lab.enrol()
            let agent = try await stage.agent()
            let busy = try await stage.studyd("hand-over")
            #expect(busy.code == 1 && busy.errors.contains("stop it first"), "\(busy)")
            try await Self.submits(lab)
            try await agent.stop()
            #expect(try await Self.holdsAnswer(stage))
            let first = try await stage.studyd("study").output
            // An agent that does not answer.
            let lock = open(stage.state + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            let early = try await stage.studyd("hand-over")
            #expect(early.code == 1 && early.errors.contains("stop it first"), "\(early)")
            flock(lock, LOCK_UN)
            close(lock)
            let handed = try await stage.studyd("hand-over")
            #expect(handed.code == 0 && handed.output.contains("ready for the next participant"), "\(handed)")
            #expect(try await !Self.holdsAnswer(stage))
            try await Self.expectClosed(stage)
            let enrolled = try await stage.studyd(
                "enroll", lab.receiver.address + "/mystudies", "--token", "QWERTYUIE")
            #expect(enrolled.code == 0, "\(enrolled)")
            #expect(try await stage.studyd("study").output != first, "another id")
            try await stage.expectWhole()
        }
    }

    @Test func whatNoServerHasIsNotDeletedUnasked() async throws {
        try await Stage.with { stage in
            let lab = try await Self.lab(stage)
            try await lab.enrol()
            let agent = try await stage.agent()
            try await Self.submits(lab)
            try await agent.stop()
            // A file that the log does not know: a memo before its answer, a copy somebody made.
            mkdir(stage.state + "/recordings", 0o750)
            try Files.write("x", to: stage.state + "/recordings/0001-sound.flac")
            let refused = try await stage.studyd("hand-over")
            #expect(refused.code == 1 && refused.errors.contains("--delete-undelivered"), "\(refused)")
            #expect(try await Self.holdsAnswer(stage), "nothing was changed")
            let forced = try await stage.studyd("hand-over", "--delete-undelivered")
            #expect(forced.code == 0, "\(forced)")
            #expect(try await !Self.holdsAnswer(stage))
            #expect(Files.names(stage.state + "/recordings").isEmpty)
        }
    }
}
