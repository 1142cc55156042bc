// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// What was due in a life that was killed is time and rate, and nothing else; counted here by hand.
@Suite struct EarlierSpanTests {
    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func life(_ files: [EarlierSpan.File], alive: Double) -> EarlierSpan {
        EarlierSpan(
            boot: "b", start: time(100), stop: nil, rates: ["accelerometer": 100], files: files, signs: [time(alive)])
    }

    @Test func everySecondOfAKilledLifeHasItsPlace() throws {
        // First sample after 2 s, whole on the disk until 160, alive until 163, off for 37 s.
        let file = EarlierSpan.File(measure: "accelerometer", start: time(102), end: time(159.99), stored: 5800)
        let account = try #require(life([file], alive: 163).accounts(off: .seconds(37)).first)
        #expect(account.due == 10_000)
        #expect(account.lost == ["starting": 200, "powerCut": 300, "off": 3700])
        #expect(account.due == 5800 + account.lost.values.reduce(0, +))
    }

    /// The participant had paused the sensors: that is no power cut's loss, and no start's.
    @Test func aKillInAPauseTakesNothingThatWasWithheld() throws {
        let file = EarlierSpan.File(measure: "accelerometer", start: time(102), end: time(129.99), stored: 2800)
        var killed = life([file], alive: 163)
        killed.withheld = time(131)..<time(2000)
        let account = try #require(killed.accounts(off: .seconds(37)).first)
        #expect(account.lost == ["starting": 200, "powerCut": 100, "privacy": 3200, "off": 3700])
        // Paused since before the start: it never began a file.
        var paused = life([], alive: 160)
        paused.withheld = .zero..<time(2000)
        #expect(try #require(paused.accounts(off: .zero).first).lost == ["privacy": 6000])
    }

    @Test func aLifeOfWhichNothingIsLeftIsDueAllTheSame() throws {
        let account = try #require(life([], alive: 160).accounts(off: .seconds(40)).first)
        #expect(account.due == 10_000 && account.lost == ["starting": 6000, "off": 4000])
        // It had begun a file, of which nothing was whole.
        let begun = EarlierSpan.File(measure: "accelerometer", start: time(110), end: time(110), stored: 0)
        let second = try #require(life([begun], alive: 160).accounts(off: .seconds(40)).first)
        #expect(second.lost == ["starting": 1000, "powerCut": 5000, "off": 4000])
    }

    /// The chip's own pace, by the times that its samples bear; one that no chip has
    /// is not believed.
    @Test(arguments: [(1.008, 1.008), (0.93, 0.93), (0.5, 1.0), (2.0, 1.0)]) func theRateIsTheChipsOwn(
        pace: Double, taken: Double
    ) throws {
        let count = Int(6000 * pace)
        let file = EarlierSpan.File(
            measure: "accelerometer", start: time(100), end: time(100 + Double(count - 1) / (100 * pace)), stored: count
        )
        let account = try #require(life([file], alive: 160).accounts(off: .zero).first)
        #expect(abs(account.rate - 100 * taken) < 0.01)
        #expect(account.due == Int((60 * account.rate).rounded()))
    }

    /// A rate that was measured over the life itself comes before that of an earlier one, also
    /// where it is just what was asked for.
    @Test(arguments: [(100.8, 30.0, 100.8), (100.8, 5, 101), (100, 30, 100)]) func theRateIsThatOfTheLifeItself(
        measured: Double, length: Double, taken: Double
    ) throws {
        var life = life(
            [
                .init(
                    measure: "accelerometer", start: time(100), end: time(100 + length), stored: Int(length * 100),
                    rate: measured)
            ], alive: 160)
        life.known = ["accelerometer": 101]
        #expect(try #require(life.accounts(off: .zero).first).rate == taken)
    }

    /// The chip was silent from 120 to 150, which the file says that it ended; of the next nothing
    /// was whole on the disk when the power went.
    @Test func aSilenceBeforeAnEmptyFileIsNotCountedAgain() throws {
        let whole = EarlierSpan.File(measure: "accelerometer", start: time(100), end: time(119.99), stored: 2000)
        let empty = EarlierSpan.File(measure: "accelerometer", start: time(150), end: time(150), stored: 0)
        let account = try #require(life([whole, empty], alive: 160).accounts(off: .zero).first)
        #expect(account.due == 6000 && account.lost == ["powerCut": 1000])
        #expect(account.due == 2000 + 3000 + account.lost.values.reduce(0, +))
    }

    /// As on the virtual board when its sound card was taken away: the file of its last minute was
    /// over before the card came back, and then the process was killed. What the file says it lost
    /// itself is not counted again, nor is a pause that no file ends.
    @Test func aSilenceThatOutlastedAFileIsOwedByNone() throws {
        func file(_ start: Double, _ end: Double, lost: Int = 0) -> EarlierSpan.File {
            .init(
                measure: "sound", start: time(start), end: time(end), stored: Int((end - start) * 16_000), lost: lost,
                rate: 16_000)
        }
        func lost(_ files: [EarlierSpan.File]) throws -> [String: Int] {
            let life = EarlierSpan(
                boot: "b", start: time(313), stop: nil, rates: ["sound": 16_000], files: files, signs: [time(378)])
            return try #require(life.accounts(off: .zero).first).lost
        }
        let told = try lost([file(357.8, 378), file(313, 324), file(337.8, 357.75)])
        #expect(abs((told["betweenFiles"] ?? 0) - Int(13.8 * 16_000)) <= 1 && told["powerCut"] ?? 0 <= 1)
        #expect(try lost([file(313, 324, lost: Int(13.8 * 16_000)), file(337.8, 378)])["betweenFiles"] == nil)
        #expect(try lost([file(313, 324), file(324.2, 378)])["betweenFiles"] == nil)
    }

    @Test func afterAnOrderlyEndOnlyTheTimeOffIsOwed() throws {
        var ended = life([], alive: 150)
        ended.stop = time(160)
        ended.known = ["accelerometer": 101]
        let account = try #require(ended.accounts(off: .seconds(10)).first)
        #expect(account.due == 1010 && account.lost == ["off": 1010])
    }

    /// More than a hundredth that is nowhere: the sum says so.
    @Test func aLedgerThatDoesNotAddUpFails() {
        var counts = Ledger.SampleCounts()
        (counts.due, counts.stored, counts.lost) = (100_000, 98_000, ["off": 900])
        #expect(counts.unaccounted == 1100 && !counts.isBalanced)
        counts.stored += 200
        #expect(counts.isBalanced)
        counts.stored += 3000
        #expect(!counts.isBalanced, "nothing is invented either")
    }
}
