// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// A study of FDA MyStudies that changes at its servers while a box takes part in it.
@Suite(.timeLimit(.minutes(20))) struct MyStudiesFollowTests {
    static let extra = """
        {"message":"SUCCESS","activity":{"type":"questionnaire","metadata":{"studyId":"EXAMPLE","activityId":"Extra","name":"Extra",
        "version":"1.0","lastModified":"2026-01-01T00:00:00.000-0500","startDate":"","endDate":""},"steps":[
        {"type":"question","resultType":"boolean","key":"fine","title":"Are you fine?","text":"","skippable":false,"groupName":"",
        "repeatable":false,"repeatableText":"","destinations":[],"healthDataKey":"","format":{},"steps":[],"options":[]}]}}
        """

    static func entry(_ schedule: String) -> String {
        """
        {"activityId":"Extra","activityVersion":"1.0","title":"Extra","type":"questionnaire",
        "startTime":"2026-01-01T08:00:00.000-0500","endTime":"","branching":false,"lastModified":"2026-01-01T00:00:00.000-0500",
        "state":"active","taskSubType":"",\(schedule)},
        """
    }

    static let once = #""schedulingType":"Regular","frequency":{"type":"One time","runs":[]}"#
    static let afterBirth = """
        "schedulingType":"AnchorDate","frequency":{"type":"One time","runs":[]},"anchorDate":{"sourceType":"ParticipantProperty",
        "propertyMetadata":{"propertyId":"Birth","propertyType":"Date","shouldRefresh":true,"externalPropertyId":"","dateOfEntryId":""},
        "start":{"anchorDays":0,"time":"00:00:00"},"end":{"anchorDays":400,"time":"23:59:59"}}
        """

    @Test func aPauseIsHonouredAndEnds() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage)
            try await lab.enrol()
            let agent = try await stage.agent()
            #expect(try await !stage.status()["next"].list.isEmpty)
            for (status, before) in [("Paused", "Active"), ("Closed", "Paused"), ("Active", "Closed")] {
                try lab.edit("study.json", "\"\(before)\"", by: "\"\(status)\"")
                #expect(try await lab.poll().contains("the study is \(status)"))
                try await eventually("the device knows") {
                    try await stage.status()["studyStatus"].text == status
                }
                // It is not known when it goes on.
                try await eventually("the next prompts") {
                    try await stage.status()["next"].list.isEmpty == (status != "Active")
                }
            }
            try await agent.stop()
        }
    }

    @Test func aNewVersionIsFollowedAndItsRunsCarryIt() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage)
            try await lab.enrol()
            let agent = try await stage.agent()
            try Files.write(Self.extra, to: lab.served + "/Extra_1.0.json")
            try lab.edit("activityList.json", "\"activities\": [", by: "\"activities\": [" + Self.entry(Self.once))
            try lab.edit("study.json", "\"studyVersion\": \"1.0\"", by: "\"studyVersion\": \"1.1\"")
            #expect(try await lab.poll().contains("version 1.1 of the study takes effect"))
            let run = try await eventually("a run of the new activity arrives") {
                try await lab.runs().first { $0["activity"].text == "Extra" && $0["status"].text != "Pending" }
            }
            #expect(run["status"].text == "Processed", "\(run)")
            #expect(run["body"]["metadata"]["studyVersion"].text == "1.1")
            #expect(try await stage.status()["studyVersion"].text == "1.1")
            #expect(try await lab.poll().contains("nothing new"))
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// The rule: a run that is open is finished and sent as what it was begun as.
    @Test func aVersionThatComesInTheMiddleOfARunWaitsForItsEnd() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage, latency: "20s")
            try await lab.enrol()
            let agent = try await stage.agent()
            func state(_ activity: String) async throws -> String {
                try await stage.status()["activities"].list.first { $0["activity"].text == activity }?["state"].text
                    ?? ""
            }
            try await eventually("Welcome is being answered") {
                try await state("Welcome") == "inProgress"
            }
            let changed = try stage.start([
                "sed", "s/\"version\": *\"1.0\"/\"version\": \"1.1\"/", lab.served + "/Welcome_1.0.json",
            ])
            try #require(await changed.ended() == 0)
            try Files.write(changed.output, to: lab.served + "/Welcome_1.1.json")
            try lab.edit(
                "activityList.json", "\"activityId\": \"Welcome\",\n      \"activityVersion\": \"1.0\"",
                by: "\"activityId\": \"Welcome\",\n      \"activityVersion\": \"1.1\"")
            try lab.edit("study.json", "\"studyVersion\": \"1.0\"", by: "\"studyVersion\": \"1.1\"")
            #expect(try await lab.poll().contains("version 1.1 of the study takes effect once the panel is idle"))
            let run = try await eventually("the run arrives") {
                try await lab.runs().first { $0["activity"].text == "Welcome" }
            }
            #expect(run["body"]["metadata"]["version"].text == "1.0", "\(run)")
            #expect(run["body"]["metadata"]["studyVersion"].text == "1.0")
            try await eventually("the new version is followed") {
                try await stage.status()["studyVersion"].text == "1.1"
            }
            #expect(try await state("Welcome") == "completed")
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// The server keeps a deleted activity in its list, and may have no metadata of it any more.
    @Test func anActivityThatIsDeletedWhileItsPromptIsOpenEndsAtOnce() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage, latency: "3600s")
            try await lab.enrol()
            let agent = try await stage.agent()
            func prompted(_ place: String) async throws -> Int {
                try await stage.status()["ledger"]["occurrences"][place].int
            }
            try await eventually("its prompt is open") { try await prompted("open") > 0 }
            let open = try await prompted("open")
            try lab.edit("activityList.json", "\"state\": \"active\"", by: "\"state\": \"deleted\"")
            Files.remove(lab.served + "/Welcome_1.0.json")
            try lab.edit("study.json", "\"studyVersion\": \"1.0\"", by: "\"studyVersion\": \"1.1\"")
            let found = try await lab.poll()
            #expect(found.contains("removed from the study: Welcome"), "\(found)")
            try await eventually("it has ended, with its reason") {
                let counts = try await stage.status()["ledger"]["occurrences"]
                return counts["missed"]["deleted"].int == 1 && counts["open"].int == open - 1
            }
            #expect(try await stage.status()["activities"].list.allSatisfy { $0["activity"].text != "Welcome" })
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test func aVersionThatThisBoardCannotAskIsNotFollowed() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage)
            try await lab.enrol()
            let agent = try await stage.agent()
            let broken = Self.extra.replacingCharacters(
                in: Self.extra.firstRange(of: "\"question\"")!, with: "\"dance\"")
            try Files.write(broken, to: lab.served + "/Extra_1.0.json")
            try lab.edit("activityList.json", "\"activities\": [", by: "\"activities\": [" + Self.entry(Self.once))
            try lab.edit("study.json", "\"studyVersion\": \"1.0\"", by: "\"studyVersion\": \"1.1\"")
            let found = try await lab.pollRefused()
            #expect(found.contains("version 1.1 cannot be run") && found.contains("dance"), "\(found)")
            #expect(try await lab.pollRefused() == found, "until the server has another version")
            let events = try await stage.studyd("history", "--events").output.split(separator: "\n")
            #expect(events.count { $0.contains("version 1.1 cannot be used") } == 1)
            #expect(try await stage.status()["activities"].list.allSatisfy { $0["activity"].text != "Extra" })
            try await agent.stop()
        }
    }

    @Test func aMessageIsToldOnceAndCanBeRead() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage)
            try await lab.enrol()
            let agent = try await stage.agent()
            let message = """
                {"notificationId":"77","type":"Study","subtype":"Announcement","audience":"Participants","title":"Dear all",
                "message":"The ward has moved.","date":"2099-01-02T09:00:00.000-0500","studyId":"EXAMPLE"},
                """
            try lab.edit("notifications.json", "\"notifications\": [", by: "\"notifications\": [" + message)
            #expect(try await lab.poll().contains("Dear all. The ward has moved."))
            try await eventually("it can be read") {
                try await stage.studyd("messages").output.contains("Dear all: The ward has moved.")
            }
            #expect(try await lab.poll().contains("nothing new"))
            try await agent.stop()
        }
    }

    @Test func aDateThatTheServerLearnsOpensWhatCountsFromIt() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage, files: ["Extra_1.0.json": Self.extra])
            try lab.edit(
                "activityList.json", "\"activities\": [", by: "\"activities\": [" + Self.entry(Self.afterBirth))
            try await lab.enrol()
            let agent = try await stage.agent()
            func extra() async throws -> JSON? {
                try await stage.status()["activities"].list.first { $0["activity"].text == "Extra" }
            }
            #expect(try await extra()?["total"].int == 0)
            try Files.write(
                #"{"ABCDEFGHI":{"Birth":"2026-10-30"}}"#,
                to: lab.served + "/participantProperties-values.json")
            try await eventually("the device learns the date") {
                let found = try await lab.poll()
                if found.contains("anchor/property/Birth") { return true }
                return try await extra()?["total"].int == 1
            }
            let run = try await eventually("its run arrives") {
                try await lab.runs().first { $0["activity"].text == "Extra" && $0["status"].text != "Pending" }
            }
            #expect(run["body"]["metadata"]["activityRunId"].text == "1")
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test func leavingAsksAboutTheDataAndTheServerDeletesThem() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage, wishes: ["Towers"])
            try await lab.enrol()
            let agent = try await stage.agent()
            try await eventually("a run arrives") { try await !lab.runs().isEmpty }
            let undecided = try await stage.studyd("withdraw")
            #expect(undecided.code == 1 && undecided.errors.contains("--delete-data or --keep-data"), "\(undecided)")
            let left = try await stage.studyd("withdraw", "--delete-data")
            #expect(left.code == 0 && left.output.contains("answers deleted here"), "\(left)")
            try await eventually("the server has deleted what it had") {
                try await lab.runs().isEmpty
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// What the registration server shows a phone of the same account.
    private func phone(_ lab: MyStudiesLab, _ action: String) async throws -> JSON {
        let fields = ["-H", "Content-Type: application/json", "-H", "applicationId: org.box", "-H", "orgId: clinic"]
        let base = lab.receiver.address + "/mystudies/fdahpuserregws-"
        func ask(_ words: [String]) async throws -> JSON {
            let asked = try lab.stage.start(["curl", "-s"] + fields + words)
            try await asked.ended()
            return try JSON(parsing: asked.output)
        }
        let signed = try await ask([
            "--data-binary", #"{"emailId":"p@example.org","password":"Passw0rd!"}"#, base + "login.api",
        ])
        return try await ask([
            "-H", "userId: " + signed["userId"].text, "-H", "auth: " + signed["auth"].text,
            base + action + ".api?studyId=EXAMPLE",
        ])
    }

    @Test func aPhoneOfTheSameAccountShowsTheProgress() async throws {
        try await Stage.with { stage in
            let accounts =
                #"{"accounts":[{"userId":"U1","emailId":"p@example.org","password":"Passw0rd!","verified":true}]}"#
            let lab = try await MyStudiesLab(stage, wishes: ["Towers"], files: ["accounts.json": accounts])
            try Files.write("Passw0rd!\n", to: stage.folder + "/password")
            let closed = try stage.start(["chmod", "600", stage.folder + "/password"])
            try #require(await closed.ended() == 0)
            let table = """

                [mystudies.registration]
                url = "\(lab.receiver.address)/mystudies"
                account = "p@example.org"
                credential = "\(stage.folder)/password"
                """
            try Files.write(Files.text(stage.folder + "/studyd.toml") + table, to: stage.folder + "/studyd.toml")
            try await lab.enrol()
            let agent = try await stage.agent()
            let study = try await eventually("the study's state arrives") {
                try await phone(lab, "studyState")["studies"].list.first
            }
            #expect(study["status"].text == "inProgress" && study["participantId"].text.count == 32, "\(study)")
            let done = try await eventually("a run that was done shows") {
                try await lab.receiver.get("/api/mystudies/states").list.map { $0["state"] }.first {
                    $0["activityRun"]["completed"].int > 0
                }
            }
            #expect(done["activityState"].text == "completed", "\(done)")
            let kept = try await phone(lab, "studyState")["studies"].list.first ?? .null
            #expect(kept["enrolledDate"] == study["enrolledDate"], "\(kept)")
            let left = try await stage.studyd("withdraw", "--keep-data")
            #expect(left.code == 0, "\(left)")
            try await eventually("the phone shows the leave") {
                try await phone(lab, "studyState")["studies"].list.first?["status"].text == "Withdrawn"
            }
            #expect(!agent.errors.contains("Passw0rd") && !agent.output.contains("Passw0rd"))
            try await agent.stop()
        }
    }
}
