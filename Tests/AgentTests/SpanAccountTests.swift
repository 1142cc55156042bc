// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

/// The numbers are worked out by hand: ten samples a second, a file of 60 s, a kill 5 s after it, and
/// measuring again 100 s after that.
@Suite struct SpanAccountTests {
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private static let ended = Instant(seconds: 1_800_000_065)

    private static let span = EarlierSpan(
        boot: "first", start: time(0), rates: ["accelerometer": 10],
        files: [.init(measure: "accelerometer", start: time(0), end: time(60), stored: 601, rate: 10)],
        signs: [time(65)], endInstant: ended)

    /// In the second boot, in which 7 s are 100 s after the end of the first.
    private static func anchor(_ source: ClockAnchor.Source) -> ClockAnchor {
        ClockAnchor(
            monotonic: time(7), instant: ended + .seconds(100), source: source, uncertainty: .milliseconds(10))
    }

    private static func account(in boot: String) -> SpanAccount {
        var account = SpanAccount(bootID: boot)
        account.take(span)
        account.begin(at: time(boot == "first" ? 165 : 7))
        return account
    }

    @Test(arguments: ["first", "second"])
    func aSpanIsAccountedForAtOnceWhereTheTimeSinceIsKnown(boot: String) throws {
        var account = Self.account(in: boot)
        let accounts = account.settle(boot == "first" ? nil : Self.anchor(.gps))
        #expect(accounts.count == 1)
        #expect(accounts.first?.due == 1650)
        #expect(accounts.first?.lost == ["powerCut": 49, "off": 1000])
        #expect(account.settle(Self.anchor(.gps)).isEmpty)
    }

    @Test(arguments: [nil, anchor(.unknown)])
    func whatEndedIsAccountedForBeforeTheClockIsTrusted(untrusted: ClockAnchor?) throws {
        var account = Self.account(in: "second")
        let first = account.settle(untrusted)
        #expect(first.map(\.due) == [650] && first.first?.lost == ["powerCut": 49])
        #expect(account.settle(untrusted).isEmpty)
        let second = account.settle(Self.anchor(.kernel))
        #expect(second.map(\.due) == [1000] && second.first?.lost == ["off": 1000])
        #expect(account.settle(Self.anchor(.kernel)).isEmpty)
    }

    @Test func aPauseIsOwedThoughAnEarlierSpanStillWaitsForTheClock() {
        var account = Self.account(in: "second")
        #expect(account.settle(nil).map(\.due) == [650])
        account.close([], rates: ["accelerometer": 10], at: Self.time(100))
        account.begin(at: Self.time(105))
        #expect(account.settle(nil).map(\.due) == [50])
        #expect(account.settle(Self.anchor(.gps)).map(\.due) == [1000])
    }

    /// A sensor came while the log was still being read: until then it was measured as well.
    @Test func theTimeOffEndsWithTheFirstMeasuringOfAStart() {
        var account = SpanAccount(bootID: "first")
        account.begin(at: Self.time(70))
        account.begin(at: Self.time(90))
        account.take(Self.span)
        account.begin(at: Self.time(90))
        #expect(account.settle(nil).first?.lost == ["powerCut": 49, "off": 50])
    }

    @Test func anOrderlyEndOwesOnlyTheTimeUntilMeasuringBeginsAgain() {
        var account = SpanAccount(bootID: "first")
        account.begin(at: Self.time(0))
        account.close([], rates: ["accelerometer": 10], at: Self.time(60))
        #expect(account.settle(Self.anchor(.gps)).isEmpty)
        account.begin(at: Self.time(61))
        #expect(account.settle(nil).map(\.due) == [10])
    }
}
