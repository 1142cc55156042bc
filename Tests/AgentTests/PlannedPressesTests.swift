// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

@Suite struct PlannedPressesTests {
    /// A finger that is on its way stops; one that is on a button lets go of it.
    @Test(arguments: [false, true])
    func whenItsPromptIsOverAPressIsNotBegunAndOneThatWasBegunEnds(isDown: Bool) async throws {
        var absent = Participant(latency: .seconds(1_000_000))
        absent.opens = 0
        var device = try await StudyDevice(
            LoadedStudy(AgentFixture.protocolText(days: 1, times: [(10, 0)]), origin: "study.json"),
            buttons: AgentFixture.panels[2], participant: absent, at: "2026-03-02T09:00:00")
        let begin = device.now.instant
        try await device.run(until: begin + .seconds(3 * 86_400)) { $0.isIdle && $0.prompt != nil }
        try #require(device.isIdle && device.prompt != nil)

        var hand = PlannedPresses(PressPlanner(Participant(), panel: device.panel))
        try hand.plan(on: device.core, at: device.now)
        let press = try #require(hand.next)
        #expect(press.isPressed && press.time > device.now.monotonic)
        try hand.plan(on: device.core, at: device.now)
        #expect(hand.next == press, "it is not thought over while the prompt stays")
        if isDown { _ = hand.takeNext() }

        // It times out after half an hour.
        try await device.run(until: device.now.instant + .seconds(3600))
        try #require(device.prompt == nil)
        try hand.plan(on: device.core, at: device.now)
        if isDown {
            let next = hand.takeNext()
            let release = try #require(next)
            #expect(!release.isPressed && release.button == press.button)
            try hand.plan(on: device.core, at: device.now)
        }
        #expect(hand.next == nil)
    }

    @Test func whatWasPlannedEndsWithThePower() async throws {
        var device = try await StudyDevice(
            LoadedStudy(AgentFixture.protocolText(days: 1, times: [(10, 0)]), origin: "study.json"),
            buttons: AgentFixture.panels[2], participant: Participant(), at: "2026-03-02T09:00:00")
        try await device.run(until: device.now.instant + .seconds(3 * 86_400)) { $0.isIdle && $0.prompt != nil }
        var hand = PlannedPresses(PressPlanner(Participant(), panel: device.panel))
        try hand.plan(on: device.core, at: device.now)
        let next = hand.takeNext()
        try #require(next != nil)
        hand.forget()
        #expect(hand.next == nil)
    }
}
