// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// What a participant may ask and change in a study of ESMira, with the built programs and the
/// stand-in that was compared with the real server.
@Suite(.timeLimit(.minutes(20))) struct ESMiraParticipantTests {
    private static let study = """
        {"id": 7, "version": 1, "title": "Days", "published": true, "accessKeys": ["mood"], "lang": "en", "enableRewardSystem": true,
        "rewardInstructions": "Show it to the team", "eventUploadSettings": {"study_updated": true, "requested_reward_code": true},
        "questionnaires": [{"internalId": 71, "title": "Now", "minDataSetsForReward": 1, "durationPeriodDays": 30,
        "pages": [{"inputs": [{"name": "mood", "responseType": "likert", "required": true, "text": "How are you?"}]}],
        "actionTriggers": [{"actions": [{"type": 1}], "eventTriggers": [], "schedules": [{"signalTimes": [
        {"random": true, "frequency": 2, "minutesBetween": 60, "startTimeOfDay": 32400000, "endTimeOfDay": 75600000}]}]}]}]}
        """

    @Test func timesAreMovedWithinWhatTheStudyAllowsAndTheServerIsTold() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first","misses":1}"#, wishes: [], study: Self.study)
            #expect(try await lab.enrol().code == 0)
            let listed = try await stage.studyd("schedule")
            #expect(listed.output == "1  Now  09:00-21:00  at random, 2 times every day\n")
            // Without an agent.
            let short = try await stage.studyd("schedule", "--set", "1=10:00-11:00")
            #expect(short.code == 1 && short.errors.contains("at least 120 minutes"), "\(short)")
            #expect(try await stage.studyd("schedule", "--set", "1=10:00-19:00").code == 0)
            let agent = try await stage.agent()
            let moved = try await stage.studyd("schedule", "--set", "1=11:00-20:00")
            #expect(moved.code == 0 && moved.output.hasPrefix("Now: 11:00-20:00 from "), "\(moved)")
            #expect(try await stage.studyd("schedule").output.hasPrefix("1  Now  11:00-20:00"))
            try await eventually("the server has both") {
                let events = try await lab.rows("events").joined()
                return ["Now: 10:00 AM-7:00 PM, ", "Now: 11:00 AM-8:00 PM, "].allSatisfy { events.contains($0) }
            }
            // A new version of the study that leaves the schedule as it is leaves what was moved.
            try lab.edit("\"version\": 1", by: "\"version\": 2")
            #expect(try await lab.poll().contains("version 2 of the study takes effect"))
            try await eventually("the server is told") {
                try await lab.rows("events").contains { $0.contains("\"study_updated\"") && $0.contains("\"2.-1\"") }
            }
            #expect(try await stage.studyd("schedule").output.hasPrefix("1  Now  11:00-20:00"))
            // Another schedule takes it back.
            try lab.edit("\"startTimeOfDay\": 32400000", by: "\"startTimeOfDay\": 36000000")
            try lab.edit("\"version\": 2", by: "\"version\": 3")
            #expect(try await lab.poll().contains("version 3 of the study takes effect"))
            try await eventually("the study's own times are back") {
                try await stage.studyd("schedule").output.hasPrefix("1  Now  10:00-21:00")
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test func theRewardCodeIsGivenForEnoughAnswersAndKept() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first"}"#, wishes: [], study: Self.study)
            #expect(try await lab.enrol().code == 0)
            var agent = try await stage.agent()
            try await eventually("the server knows the box") {
                try await !lab.rows("events").isEmpty
            }
            let early = try await stage.studyd("reward")
            #expect(early.code == 1 && early.errors.contains("not yet: Now: 0 of 1 done"), "\(early)")
            try await agent.stop()
            try stage.board(.init(participant: #"{"latency":"0s","otherwise":"first"}"#, wishes: ["71"]))
            agent = try await stage.agent()
            try await eventually("an answer arrives", within: .seconds(900)) { try await !lab.rows("71").isEmpty }
            let given = try await stage.studyd("reward")
            #expect(given.code == 0 && given.output.hasPrefix("reward code   "), "\(given)")
            #expect(given.output.contains("Show it to the team"))
            // The server tells it once, the device as often as it is asked.
            #expect(try await stage.studyd("reward").output == given.output)
            try await eventually("that it was asked for is told") {
                try await lab.rows("events").contains { $0.contains("\"requested_reward_code\"") }
            }
            try await agent.stop()
            #expect(try await stage.studyd("reward").output == given.output)
        }
    }

    @Test func aStudyThatIsOverIsLeftByItself() async throws {
        try await Stage.with { stage in
            let end = (time(nil) + 45) * 1_000
            let text = Self.study.replacing("\"durationPeriodDays\": 30", with: "\"durationEnd\": \(end)")
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first","misses":1}"#, wishes: [], study: text)
            #expect(try await lab.enrol().code == 0)
            let agent = try await stage.agent()
            try await eventually("the server is told that the box has left") {
                try await lab.rows("events").contains { $0.contains("\"quit\"") }
            }
            #expect(time(nil) * 1_000 >= end)
            #expect(try await stage.studyd("study").output.contains(", left"))
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// From the registers of the simulated chips on: in the world of the simulated board the field
    /// turns with the heading, so that any angle may come.
    @Test func aCompassIsReadFromTheChipsAndTheParticipantWaitsForIt() async throws {
        try await Stage.with { stage in
            let text = Self.study.replacing(
                "{\"name\": \"mood\", \"responseType\": \"likert\", \"required\": true, \"text\": \"How are you?\"}",
                with:
                    "{\"name\": \"facing\", \"responseType\": \"compass\", \"required\": true, \"text\": \"Where to?\"}"
            )
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first"}"#, wishes: ["71"], study: text)
            try stage.configure(recordings: nil, measures: ["accelerometer", "magnetometer"])
            #expect(try await lab.enrol().code == 0)
            let agent = try await stage.agent()
            try await eventually("the direction arrives", within: .seconds(900)) { try await !lab.rows("71").isEmpty }
            let value = try #require(try await lab.rows("71").first?.split(separator: ";").last)
            let degrees = try #require(Int(value.filter(\.isNumber)), "\(value)")
            #expect((0..<360).contains(degrees))
            #expect(!agent.errors.contains("no presses"), "\(agent.errors)")
            try await agent.stop()
        }
    }

    /// `save_message.php` gets `content` and keeps it for the study team (ESMira-web 0750ca3). A
    /// voice memo goes by its name.
    @Test func theParticipantWritesToTheStudyTeamOnThePanelAndBothDirectionsAreListed() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first","answers":{"message":"hello"}}"#,
                wishes: [], study: Self.study)
            try stage.configure(recordings: nil, measures: ["sound"])
            try stage.board(
                .init(
                    participant: #"{"latency":"0s","otherwise":"first","answers":{"message":"hello"}}"#,
                    wishes: ["letter"]))
            #expect(try await lab.enrol().code == 0)
            let agent = try await stage.agent()
            func written() async throws -> [JSON] { try await lab.receiver.get("/api/esmira/7/messages").list }
            try await eventually("what was said arrives") {
                try await written().contains { "\($0)".contains("voice:") }
            }
            try await lab.control("message?study=7", "Thank you")
            #expect(try await lab.poll().contains("Thank you"))
            try await eventually("both are listed") {
                let listed = try await stage.studyd("messages").output
                return listed.contains("Thank you") && listed.contains("to the study team: voice memo ")
            }
            try await agent.stop()
        }
    }
}
