// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// Leaving a study, by command and by the panel's menu.
@Suite struct WithdrawalTests {
    @Test(.timeLimit(.minutes(20))) func commandLeavesWhileTheAgentRuns() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files", measures: ["accelerometer", "magnetometer"])
            try stage.board(.init(wishes: ["pain"]))
            let agent = try await stage.agent()
            try await receiver.meet("500")
            try Files.write(
                LabStudy(
                    postURL: receiver.address + "/schema",
                    modules: [
                        LabStudy.always("pain", question: "level")
                    ]
                ).text, to: stage.folder + "/local.json")
            let first = try await stage.studyd("enroll", stage.folder + "/local.json", "--participant", "P5")
            #expect(first.code == 0, "\(first)")
            try await eventually("something is submitted and cannot be sent") { try await stage.submissions() > 0 }

            let left = try await stage.studyd("withdraw", "--delete-unsent")
            #expect(left.code == 0 && left.output.contains("P5"), "\(left)")
            try await eventually("measuring stops") {
                let status = try await stage.status()
                return status["withdrawn"].isTrue && !agent.isMeasuring
            }
            let items = try await stage.status()["ledger"]["items"]
            #expect(items["deleted"].int >= 3 && items["waiting"].int + items["sending"].int >= 1, "\(items)")
            try await receiver.meet("none")
            try await eventually("the notice arrives") { try await receiver.logs("settings", "withdraw").count == 1 }
            #expect(try await receiver.answers().isEmpty)
            // What was being recorded is not sent either.
            #expect(Files.names(stage.state + "/recordings").filter { $0.hasPrefix("0") } == [])
            let twice = try await stage.studyd("withdraw")
            #expect(twice.code == 1 && twice.errors.contains("not enrolled"), "\(twice)")

            let again = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P5")
            #expect(again.code == 0, "\(again)")
            try await eventually("measuring begins again") { agent.isMeasuring }
            #expect(try await receiver.files().isEmpty)
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("--delete-data", "--keep-data", true), ("--delete-data", "--keep-unsent", true),
            ("--delete-unsent", "--keep-unsent", true), ("--delete-data", "--delete-unsent", false),
            ("--keep-data", "--keep-unsent", false), ("--keep-data", "--delete-unsent", false),
        ])
    func whatContradictsItselfIsRefused(first: String, second: String, isRefused: Bool) async throws {
        try await Stage.with { stage in
            let left = try await stage.studyd("withdraw", first, second)
            #expect(left.code == (isRefused ? 2 : 1), "\(left)")
            #expect(left.errors.contains("\(first) or \(second), not both") == isRefused, "\(left)")
        }
    }

    /// The app tries once and keeps the rest (schema-app/schema, 45fd178: `withdrawFromStudy`,
    /// `uploadPendingData`); unlike the app the rest goes to the server it was given for, not to
    /// that of the next study.
    @Test(.timeLimit(.minutes(20))) func noAnswerIsLostThoughTheServerIsAwayAndAnotherStudyFollows() async throws {
        try await Stage.with { stage in
            let old = try await LabReceiver(stage)
            let next = try await LabReceiver(stage, name: "next")
            try old.serve([LabStudy.always("pain", question: "level")])
            try next.serve([LabStudy.always("mood", question: "mood")])
            try stage.configure(recordings: nil, measures: [])
            try stage.board(.init(wishes: ["pain"]))
            let agent = try await stage.agent()
            #expect(try await stage.studyd("enroll", old.studyURL, "--participant", "P5").code == 0)
            try await old.meet("500")
            try await eventually("something is submitted") { try await stage.submissions() > 0 }
            let given = try await stage.submissions()
            // As the app's page of one's progress lists below the graphs (schema-app/schema
            // 45fd178, `my-progress.html`: history, newest first).
            let history = try await stage.studyd("history").output
            let completed = history[(history.firstRange(of: "Recently completed")?.lowerBound ?? history.endIndex)...]
            let lines = completed.split(separator: "\n").dropFirst().map { String($0) }
            let sorted = lines.sorted { $0 > $1 }
            #expect(lines.count >= given && lines.allSatisfy { $0.hasSuffix("  pain") }, "\(history)")
            #expect(lines == sorted, "newest first")

            let left = try await stage.studyd("withdraw")
            #expect(left.code == 0 && left.output.contains("keeps sending to " + old.address), "\(left)")
            let again = try await stage.studyd("enroll", next.studyURL, "--participant", "P5")
            #expect(again.code == 0, "\(again)")
            try await eventually("the next study hears of its participant") {
                try await next.logs("home", "enrol").count == 1
            }
            #expect(try await stage.status()["ledger"]["items"]["deleted"].int == 0)
            // `check` asks both servers, and says which study has them.
            let checked = try await stage.studyd("check", "--json")
            for (name, address) in [("study", next.address), ("study you left", old.address)] {
                #expect(
                    checked.output.split(separator: "\n").contains {
                        $0.contains("\"name\":\"\(name)\"") && $0.contains(address)
                    }, "\(name): \(checked)")
            }
            // Over a restart too.
            try await agent.stop()
            try await old.meet("none")
            let second = try await stage.agent()
            try await eventually("the old server has every answer and, last, the notice") {
                let notices = try await old.logs("settings", "withdraw").count
                return try await old.answers().count >= given && notices == 1
            }
            #expect(try await old.records().first?["fields"]["event"].text == "withdraw")
            let strays = try await next.records().filter { $0["fields"]["page"].text == "settings" }
            let enrolments = try await next.logs("home", "enrol").count
            #expect(strays.isEmpty && enrolments == 1)
            try await second.stop()
            try await stage.expectWhole()
        }
    }

    @Test(.timeLimit(.minutes(20))) func leavingWithoutAnAgentSendsByItself() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            #expect(try await stage.studyd("enroll", receiver.studyURL, "--participant", "P7").code == 0)
            let left = try await stage.studyd("withdraw")
            #expect(left.code == 0 && left.output.contains("everything has been sent"), "\(left)")
            let events = try await receiver.records().map { $0["fields"]["event"].text }
            #expect(events == ["withdraw", "enrol"])
        }
    }

    @Test(.timeLimit(.minutes(20))) func menuOfThePanelLeaves() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: nil, measures: ["accelerometer"])
            try stage.board(.init(wishes: ["leave"]))
            let agent = try await stage.agent()
            #expect(try await stage.studyd("enroll", receiver.studyURL, "--participant", "P6").code == 0)
            try await eventually("the panel's menu leaves the study") { try await stage.status()["withdrawn"].isTrue }
            try await eventually("the notice arrives") { try await receiver.logs("settings", "withdraw").count == 1 }
            try await eventually("measuring stops") { !agent.isMeasuring }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }
}

extension Child {
    /// The chips' bus has its thread.
    var isMeasuring: Bool {
        Files.names("/proc/\(pid)/task").contains { Files.text("/proc/\(pid)/task/\($0)/comm").hasPrefix("bus-") }
    }
}
