// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct WallClockTests {
    private static let start = Instant(seconds: 1_800_000_000)

    /// Read so long after the start, by a clock that was set meanwhile.
    private static func reading(
        _ milliseconds: Int, set: Int = 0, _ source: ClockAnchor.Source = .kernel, isGood: Bool = true
    ) -> ClockReading {
        let moment = Moment(
            instant: start + .milliseconds(milliseconds + set), monotonic: .zero + .milliseconds(milliseconds))
        let anchor = ClockAnchor(
            monotonic: moment.monotonic, instant: moment.instant, source: source, uncertainty: .milliseconds(1))
        return ClockReading(moment: moment, anchor: anchor, record: AnchorRecord(anchor), isGood: isGood)
    }

    private static func words(_ change: WallClock.Change?) -> String {
        switch change {
        case .news?: "news"
        case .step(let by)?: "set by \(by.milliseconds)"
        case nil: "nothing"
        }
    }

    /// Beyond half a second it was set; else another source, other trust and five minutes are news.
    @Test(
        arguments: [
            (1_000, 0, .kernel, true, "nothing"), (1_000, 500, .kernel, true, "nothing"),
            (1_000, 501, .kernel, true, "set by 501"), (1_000, -500, .kernel, true, "nothing"),
            (1_000, -501, .kernel, true, "set by -501"), (1_000, 501, .gps, false, "set by 501"),
            (1_000, 0, .gps, true, "news"), (1_000, 0, .kernel, false, "news"), (300_000, 0, .kernel, true, "nothing"),
            (300_001, 0, .kernel, true, "news"), (300_001, 501, .kernel, true, "set by 501"),
        ] as [(Int, Int, ClockAnchor.Source, Bool, String)])
    func whatHasChangedSinceTheLastAnchorIsSaid(
        milliseconds: Int, set: Int, source: ClockAnchor.Source, isGood: Bool, change: String
    ) {
        var clock = WallClock()
        #expect(Self.words(clock.change(in: Self.reading(0))) == "news")
        _ = clock.addAnchor(Self.reading(0))
        let reading = Self.reading(milliseconds, set: set, source, isGood: isGood)
        #expect(Self.words(clock.change(in: reading)) == change)
    }

    /// The last anchor counts, not the first.
    @Test func anAnchorIsTheBeginningOfTheNextFiveMinutes() {
        var clock = WallClock()
        let trust = [true, true, false, false, true].enumerated().map { number, isGood in
            clock.addAnchor(Self.reading(200_000 * number, set: 100 * number, isGood: isGood))
        }
        #expect(trust == [true, false, true, false, true] && clock.isTrusted && clock.anchors.count == 5)
        #expect(Self.words(clock.change(in: Self.reading(1_000_000, set: 800))) == "nothing")
        #expect(Self.words(clock.change(in: Self.reading(1_000_000, set: -200))) == "set by -600")
    }

    /// Of a run of weeks the first anchor and the newest are kept.
    @Test func theAnchorsInMemoryAreBounded() {
        var clock = WallClock()
        for number in 0..<1_000 { _ = clock.addAnchor(Self.reading(number)) }
        #expect(clock.anchors.count <= 256 && clock.anchors.first?.monotonic == .zero)
        #expect(
            clock.anchors.suffix(100).map(\.monotonic) == (900..<1_000).map { MonotonicTime.zero + .milliseconds($0) })
    }

    /// What is odd is news once, until it is over.
    @Test func anOddityIsNewsOnce() {
        var clock = WallClock()
        let news = [nil, "a", "a", "b", nil, "a"].map { clock.setNote($0) }
        #expect(news == [false, true, false, false, false, true] && clock.note == "a")
    }
}
