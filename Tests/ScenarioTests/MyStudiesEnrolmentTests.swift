// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// A box enrols in a study of FDA MyStudies over the network: token, metadata, key, results, leave.
@Suite(.timeLimit(.minutes(20))) struct MyStudiesEnrolmentTests {
    @Test func aTokenEnrolsResultsArriveAndLeavingIsTold() async throws {
        try await Stage.with { stage in
            let receiver = try await MyStudiesLab(stage, wishes: ["Towers"]).receiver
            let enrolled = try await stage.studyd(
                "enroll", receiver.address + "/mystudies", "--token", "abcdefghi", "--consent",
                stage.folder + "/consent.json")
            #expect(enrolled.code == 0 && enrolled.output.contains("study EXAMPLE"), "\(enrolled)")
            let agent = try await stage.agent()
            let runs = try await eventually("a run arrives") {
                let runs = try await receiver.get("/api/mystudies/runs").list
                return runs.isEmpty ? nil : runs
            }
            #expect(runs.allSatisfy { $0["status"].text == "Processed" }, "\(runs)")
            #expect(runs[0]["body"]["participantId"].text.count == 32)
            let left = try await stage.studyd("withdraw", "--keep-data")
            #expect(left.code == 0, "\(left)")
            try await eventually("the leave arrives") {
                let key = runs[0]["body"]["participantId"].text
                let asked = try stage.start([
                    "curl", "-s", "-X", "POST",
                    receiver.address + "/mystudies/response-withdrawFromStudy.api?participantId=" + key,
                ])
                try await asked.ended()
                return asked.output.contains("Invalid ParticipantId.")
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test func aTokenIsUsedOnceAndNothingSecretIsPrinted() async throws {
        try await Stage.with { stage in
            let receiver = try await MyStudiesLab(stage).receiver
            let words = ["enroll", receiver.address + "/mystudies", "--token"]
            let slip = try await stage.studyd(words[0], words[1], words[2], "ABCDEFGHZ")
            #expect(slip.code == 2 && slip.errors.contains("nothing was sent"), "\(slip)")
            let unknown = try await stage.studyd(words[0], words[1], words[2], "ZZZZZZZZI")
            #expect(unknown.code == 1 && unknown.errors.contains("not associated with a study"), "\(unknown)")
            let first = try await stage.studyd(words[0], words[1], words[2], "ABCDEFGHI")
            #expect(first.code == 0, "\(first)")
            let again = try await stage.studyd("withdraw", "--keep-data")
            #expect(again.code == 0)
            let second = try await stage.studyd(words[0], words[1], words[2], "ABCDEFGHI")
            #expect(second.code == 1 && second.errors.contains("Token already in use"), "\(second)")
            #expect(second.errors.contains("ask the study's office for a new token"), "\(second)")
            try Files.write("K-LEFT\n", to: stage.state + "/joining")
            let third = try await stage.studyd(words[0], words[1], words[2], "ABCDEFGHI")
            #expect(third.code == 1 && third.errors.contains("remove participant K-LEFT"), "\(third)")
            let said = [slip, unknown, first, second].map { $0.output + $0.errors }.joined()
            #expect(!said.contains("secret"))
        }
    }

    @Test func aSecretThatOthersMayReadIsRefused() async throws {
        try await Stage.with { stage in
            let receiver = try await MyStudiesLab(stage).receiver
            let opened = try stage.start(["chmod", "644", stage.folder + "/credential"])
            try #require(await opened.ended() == 0)
            let refused = try await stage.studyd("enroll", receiver.address + "/mystudies", "--token", "ABCDEFGHI")
            #expect(refused.code == 1 && refused.errors.contains("chmod 600"), "\(refused)")
        }
    }

    @Test func aConsentToAnOldVersionIsRefused() async throws {
        try await Stage.with { stage in
            let receiver = try await MyStudiesLab(stage).receiver
            try Files.write(
                #"{"version":"0.9","recordedBy":"A","eligible":true}"#, to: stage.folder + "/consent.json")
            let refused = try await stage.studyd(
                "enroll", receiver.address + "/mystudies", "--token", "ABCDEFGHI", "--consent",
                stage.folder + "/consent.json")
            #expect(refused.code == 1 && refused.errors.contains("version 1.0"), "\(refused)")
        }
    }

    @Test func aConsentThatWasLeftOutIsAskedForUntilItIsRecorded() async throws {
        try await Stage.with { stage in
            let receiver = try await MyStudiesLab(stage).receiver
            let enrolled = try await stage.studyd("enroll", receiver.address + "/mystudies", "--token", "ABCDEFGHI")
            #expect(enrolled.code == 0 && enrolled.errors.contains("WARNING: no consent is recorded"), "\(enrolled)")
            #expect(try await stage.studyd("study").output.contains("consent due   no consent is recorded"))
            let agent = try await stage.agent()
            let recorded = try await stage.studyd("update-study", "--consent", stage.folder + "/consent.json")
            #expect(recorded.code == 0 && recorded.output.contains("consent to version 1.0"), "\(recorded)")
            let study = try await stage.studyd("study").output
            #expect(study.contains("consented     version 1.0") && study.contains("by A. Nurse"), "\(study)")
            #expect(study.contains("sharing false") && !study.contains("consent due"), "\(study)")
            try await agent.stop()
        }
    }

    @Test func aStudyThatIsClosedForEnrolmentUsesUpNoToken() async throws {
        try await Stage.with { stage in
            let lab = try await MyStudiesLab(stage)
            try lab.edit("study.json", "\"enrolling\": true", by: "\"enrolling\": false")
            let words = ["enroll", lab.receiver.address + "/mystudies", "--token"]
            let refused = try await stage.studyd(words[0], words[1], words[2], "ABCDEFGHI")
            #expect(refused.code == 1 && refused.errors.contains("not open for enrolment"), "\(refused)")
            try lab.edit("study.json", "\"enrolling\": false", by: "\"enrolling\": true")
            try lab.edit("study.json", "\"rejoin\": true", by: "\"rejoin\": false")
            let enrolled = try await stage.studyd(words[0], words[1], words[2], "ABCDEFGHI")
            #expect(enrolled.code == 0, "\(enrolled)")
            #expect(try await stage.studyd("withdraw", "--keep-data").code == 0)
            let again = try await stage.studyd(words[0], words[1], words[2], "QWERTYUIE")
            #expect(again.code == 1 && again.errors.contains("does not allow re-enrolment"), "\(again)")
        }
    }

    @Test(arguments: [
        #"{"version":"1","recordedBy":"A","eligible":false}"#, #"{"version":"","recordedBy":"A","eligible":true}"#,
        #"{"version":"1","recordedBy":"A","eligible":true,"sharing":"perhaps"}"#, "no json",
    ])
    func anIncompleteConsentIsRefused(_ text: String) async throws {
        try await Stage.with { stage in
            let receiver = try await MyStudiesLab(stage).receiver
            try Files.write(text, to: stage.folder + "/consent.json")
            let refused = try await stage.studyd(
                "enroll", receiver.address + "/mystudies", "--token", "ABCDEFGHI", "--consent",
                stage.folder + "/consent.json")
            #expect(refused.code == 1 && refused.errors.contains("consent.json"), "\(refused)")
        }
    }
}
