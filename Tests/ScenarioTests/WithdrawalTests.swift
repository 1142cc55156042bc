// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// Leaving a study, by command and by the panel's menu.
@Suite struct WithdrawalTests {
    @Test(.timeLimit(.minutes(10))) func commandLeavesWhileTheAgentRuns() async throws {
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

            let left = try await stage.studyd("withdraw")
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

    @Test(.timeLimit(.minutes(10))) func menuOfThePanelLeaves() async throws {
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
