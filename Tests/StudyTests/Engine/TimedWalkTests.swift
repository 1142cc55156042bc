// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// A walk by edges, as `ORKTimedWalkStepViewController` of ResearchKit (daba8c9f) takes it: from
/// its start to "Next" or to the time limit.
struct TimedWalkTests {
    typealias Player = ActiveTaskPlayTests.Player
    static let walk = ActiveTask(TimedWalkRules(distanceInMeters: 100, timeLimit: .seconds(180)))

    /// What came of it, once it can no longer be taken back.
    static func record(_ player: Player) throws -> TimedWalkRecord {
        var player = player
        player.advance(to: player.now + .seconds(30))
        return try #require(player.performance?.record as? TimedWalkRecord)
    }

    @Test(arguments: ActiveTaskPlayTests.panels) func theWalkLastsFromPressToPress(_ panel: Panel) throws {
        var player = Player(Self.walk, on: panel)
        player.advance(to: player.now + .seconds(7))
        let began = player.now
        player.press(0)
        player.advance(to: began + .milliseconds(81_234))
        player.press(panel.targets.last ?? 0)
        let record = try Self.record(player)
        #expect(record.duration == .milliseconds(81_234) && record.uptime == began - .zero)
        #expect(record.isFinished && record.restarts == 0)
        #expect(player.cues.contains(.recordingStarted) && player.cues.contains(.recordingStopped))
    }

    /// The fields are those of `ResearchKitTests/samples.bundle/ORKTimedWalkResult.json`.
    @Test func fieldsAreResearchKits() throws {
        var player = Player(Self.walk, on: .reference)
        player.perform(.perfect)
        let record = try Self.record(player)
        #expect(record.fields.map(\.key).prefix(3) == ["distanceInMeters", "timeLimit", "duration"])
        #expect((80.0...80.5).contains(record.duration.seconds))
        #expect(record.figures.map(\.number) == [100, 180, record.duration.seconds])
    }

    /// 25 feet, as the way of the T25FW is.
    @Test(arguments: [("en", "7.62 m", "81.2 s"), ("de", "7,62 m", "81,2 s")])
    func numbersAreWrittenAsTheLanguageDoes(tag: String, way: String, time: String) {
        let rules = TimedWalkRules(distanceInMeters: 7.62, timeLimit: .seconds(180))
        let record = TimedWalkRecord(
            distanceInMeters: 7.62, timeLimit: .seconds(180), duration: .milliseconds(81_234), uptime: .zero,
            isFinished: true, restarts: 0)
        let words = Words(for: tag)
        #expect(rules.howTo(on: .reference, in: words).contains(way))
        #expect(record.summary(in: words).contains(way) && record.summary(in: words).contains(time))
    }

    @Test func whoDoesNotArriveIsTakenByTheTimeLimit() throws {
        var player = Player(Self.walk, on: .reference)
        player.perform(.fail)
        let record = try Self.record(player)
        #expect(record.duration == .seconds(180) && !record.isFinished && player.cues.contains(.expired))
    }

    /// A switch that bounces, or a finger that presses twice.
    @Test func aSecondPressWithinASecondIsTheFirstOne() throws {
        var player = Player(Self.walk, on: .reference)
        let began = player.now
        player.press(0, hold: .milliseconds(60))
        player.advance(to: began + .milliseconds(700))
        player.press(0)
        #expect(player.record == nil)
        player.advance(to: began + .seconds(60))
        player.press(0)
        #expect(try Self.record(player).duration == .seconds(60))
    }

    @Test func theMenuStartsTheWalkOver() throws {
        var player = Player(Self.walk, on: .reference)
        player.press(0)
        // The press that becomes the hold for the menu is no end.
        player.advance(to: player.now + .seconds(30))
        player.press(.menu)
        #expect(player.run.takesMenu)
        player.press(.undo)
        #expect(player.cues.last == .menuItem(1, GamePhrases.pressToBegin))
        player.perform(.perfect)
        let record = try Self.record(player)
        #expect(record.restarts == 1 && (80.0...80.5).contains(record.duration.seconds))
    }

    @Test(arguments: [
        (0.5, 60, "meters"), (10_001, 60, "meters"), (10, 0, "stepDuration"), (10, 9_999, "stepDuration"),
    ])
    func whatCannotBeDoneIsRefused(_ distance: Double, _ limit: Int, _ words: String) {
        let rules = TimedWalkRules(distanceInMeters: distance, timeLimit: .seconds(limit))
        #expect(rules.problems.contains { $0.contains(words) })
    }

    /// Time goes on by itself while someone walks, not before the start or behind the end.
    @Test func itIsUnderWayFromTheStartToTheEnd() {
        var player = Player(Self.walk, on: .reference)
        #expect(!player.run.isUnderWay)
        player.press(0)
        #expect(player.run.isUnderWay)
        player.advance(to: player.now + .seconds(30))
        #expect(player.run.isUnderWay)
        player.press(0)
        #expect(player.run.isInReview && !player.run.isUnderWay)
    }

    @Test(arguments: [(999, false), (1_000, true)]) func aPressEndsTheWalkFromTheFirstSecondOn(
        _ after: Int, _ ends: Bool
    ) {
        var player = Player(Self.walk, on: .reference)
        player.press(0)
        player.advance(to: .zero + .milliseconds(after))
        player.press(0)
        #expect(player.run.isInReview == ends)
    }
}
