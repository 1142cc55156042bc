// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Agent
@testable import Study

/// An answer that is sent says how far off its times can be, where the platform's server keeps that
/// (docs/clock.md).
@Suite struct AnswerClockTests {
    @Test func anAnswerSaysHowFarOffItsTimesCanBe() async throws {
        let text = AgentFixture.protocolText(days: 2, times: [(12, 0)])
        var device = try await StudyDevice(
            LoadedStudy(text, origin: "a test"), buttons: AgentFixture.panels[1], participant: Participant(),
            at: "2026-03-20T08:00:00")
        try await device.run(until: device.now.instant + .seconds(3 * 86_400))
        var answers = 0
        for item in try await device.database.items() {
            guard case .request(let request) = try await device.database.content(of: item) else { continue }
            let body = String(decoding: request.body, as: UTF8.self)
            let parts = body.split(separator: "name=\"clock_error_in_s\"\r\n\r\n", maxSplits: 1)
            let isAnswer = body.contains("survey_response")
            #expect(parts.count == (isAnswer ? 2 : 1))
            guard isAnswer, let end = parts.last else { continue }
            answers += 1
            // An anchor is five minutes old at most, and a crystal drifts by 100 ppm, steered
            // by 500 ppm more.
            let value = try #require(end.split(separator: "\r\n").first.flatMap { Double($0) })
            #expect(value >= 0 && value <= 0.4, "\(value)")
        }
        #expect(answers == 2)
    }

    /// Between two anchors the clock may drift: what was answered long after the last is reported
    /// as less certain.
    @Test func theErrorGrowsWithTheAgeOfTheAnchor() throws {
        var clock = WallClock()
        let start = Instant(seconds: 1_800_000_000)
        #expect(clock.error(since: start, until: Moment(instant: start, monotonic: .zero)) == nil)
        let anchor = ClockAnchor(
            monotonic: .zero, instant: start, source: .kernel, uncertainty: .milliseconds(20))
        _ = clock.addAnchor(
            ClockReading(
                moment: Moment(instant: start, monotonic: .zero), anchor: anchor, record: AnchorRecord(anchor),
                isGood: true))
        var last = 0.0
        for seconds in [0, 60, 600, 6000] {
            let now = Moment(instant: start + .seconds(seconds), monotonic: MonotonicTime.zero + .seconds(seconds))
            let error = try #require(clock.error(since: start, until: now))
            #expect(
                error > 0.019_999_999 + 100e-6 * Double(seconds) && error < 0.020_001 + 700e-6 * Double(seconds)
                    && error >= last)
            last = error
        }
    }
}
