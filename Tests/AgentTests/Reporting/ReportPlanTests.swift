// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct ReportPlanTests {
    private static func time(_ second: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: second * 1_000_000_000) }

    private static let fresh = ReportPlan(due: time(5), seed: 1)

    /// Plays events at seconds; at which seconds of `until` a report goes that is received at once.
    private func sent(
        _ events: [(Int64, ReportPlan.Event)], pace: ReportPlan.Pace = .init(), until end: Int64
    ) -> [Int64] {
        var (plan, sent) = (ReportPlan(due: Self.time(5), pace: pace, seed: 1), [Int64]())
        for second in 0...end {
            for (_, event) in events.filter({ $0.0 == second }) { plan.handle(event, at: Self.time(second)) }
            guard case .send = plan.step(at: Self.time(second)) else { continue }
            sent.append(second)
            plan.handle(.received(hasMore: false), at: Self.time(second))
        }
        return sent
    }

    @Test func oneAtTheStartAndThenOneEachHour() {
        #expect(sent([], until: 10_900) == [5, 3_605, 7_205, 10_805])
    }

    @Test(arguments: [(60, [5, 65, 125, 185]), (7200, [5])] as [(Int64, [Int64])])
    func itComesAsOftenAsConfigured(every: Int64, expected: [Int64]) {
        #expect(sent([], pace: .init(every: .seconds(every)), until: 200) == expected)
    }

    /// With `[upload] every = "15m"` it goes when the queues send, at whole multiples of 900 s (docs/delivery.md).
    @Test func whatIsGatheredWaitsForTheWindowAndAnEnrolmentDoesNot() {
        let pace = ReportPlan.Pace(window: .seconds(900))
        #expect(sent([], pace: pace, until: 5_000) == [5, 4_500])
        #expect(sent([(100, .changed), (300, .changed)], pace: pace, until: 1_000) == [5, 900])
        #expect(sent([(840, .changed)], pace: pace, until: 2_000) == [5, 900])
        #expect(sent([(841, .changed)], pace: pace, until: 2_000) == [5, 1_800])
        #expect(sent([(100, .urgent)], pace: pace, until: 1_000) == [5, 100])
    }

    @Test(arguments: [(3600, 0, 3900), (60, 0, 120), (300, 0, 600), (3600, 900, 4800), (86_400, 0, 86_700)])
    func whatAReceiverMayCountOn(every: Int64, window: Int64, within: Int64) {
        #expect(ReportPlan.Pace(every: .seconds(every), window: .seconds(window)).within == .seconds(within))
    }

    @Test func tenChangesAreOneReport() {
        let changes = (100..<110).map { (Int64($0), ReportPlan.Event.changed) }
        #expect(sent(changes, until: 4_000) == [5, 160, 3_760])
    }

    /// The gathering counts from the first change; one that comes as the report goes begins another.
    @Test(arguments: [(159, [5, 160]), (160, [5, 160]), (161, [5, 160, 221])] as [(Int64, [Int64])])
    func aChangeWaitsForAMinuteAtMost(second: Int64, sent: [Int64]) {
        #expect(self.sent([(100, .changed), (second, .changed)], until: 400) == sent)
    }

    @Test func anEnrolmentIsReportedAtOnceAlsoWhileAChangeIsGathered() {
        #expect(sent([(100, .changed), (101, .urgent)], until: 400) == [5, 101])
    }

    @Test func aChangeJustBeforeTheHourDoesNotPutTheHourOff() {
        #expect(sent([(3_600, .changed)], until: 7_300) == [5, 3_605, 7_205])
    }

    @Test func itSaysWhetherItIsMerelyTheHour() {
        var plan = Self.fresh
        #expect(plan.step(at: Self.time(5)) == .send(isChange: false))
        plan.handle(.changed, at: Self.time(5))
        #expect(plan.step(at: Self.time(5)) == .send(isChange: true))
        plan.handle(.received(hasMore: false), at: Self.time(5))
        #expect(plan.step(at: Self.time(5)) == .wait(.seconds(3600)))
        #expect(plan.step(at: Self.time(3_605)) == .send(isChange: false))
    }

    @Test func whatIsLeftOverGoesAtOnce() {
        var plan = Self.fresh
        plan.handle(.received(hasMore: true), at: Self.time(5))
        #expect(plan.step(at: Self.time(5)) == .send(isChange: false))
    }

    private func wait(_ plan: ReportPlan, at second: Int64) -> Duration? {
        if case .wait(let wait) = plan.step(at: Self.time(second)) { wait } else { nil }
    }

    /// Between half of the doubled wait and all of it, a quarter of an hour at most.
    @Test func afterFailuresItWaitsTwiceAsLongEachTime() throws {
        var plan = Self.fresh
        for failure in 1...12 {
            plan.handle(.failed(retryAfter: .zero), at: Self.time(10))
            let pause = try #require(wait(plan, at: 10))
            let full = min(Duration.seconds(5) * (1 << (failure - 1)), .seconds(900))
            #expect(pause >= full / 2 && pause <= full, "\(failure): \(pause)")
        }
        plan.handle(.received(hasMore: false), at: Self.time(10))
        #expect(wait(plan, at: 10) == .seconds(3600))
        plan.handle(.failed(retryAfter: .zero), at: Self.time(3_610))
        #expect(try #require(wait(plan, at: 3_610)) <= .seconds(5))
    }

    /// A change does not break into a back-off; an enrolment neither.
    @Test(arguments: [ReportPlan.Event.changed, .urgent]) func aBackOffIsKept(event: ReportPlan.Event) throws {
        var plan = Self.fresh
        for _ in 1...8 { plan.handle(.failed(retryAfter: .zero), at: Self.time(10)) }
        let before = try #require(wait(plan, at: 10))
        plan.handle(event, at: Self.time(10))
        #expect(wait(plan, at: 10) == before)
    }

    /// RFC 9110 §10.2.3: who asks to be left alone is, whatever network comes.
    @Test(
        arguments: [
            (.failed(retryAfter: .zero), true), (.failed(retryAfter: .seconds(600)), false), (.barred, false),
        ] as [(ReportPlan.Event, Bool)])
    func aNewNetworkEndsTheBackOffUnlessTheReceiverItselfSaidNo(event: ReportPlan.Event, ends: Bool) {
        var plan = Self.fresh
        plan.handle(event, at: Self.time(10))
        #expect(wait(plan, at: 10) != nil)
        plan.handle(.networkCame, at: Self.time(11))
        #expect((plan.step(at: Self.time(11)) == .send(isChange: false)) == ends)
    }

    @Test func retryAfterIsTheLeast() throws {
        var plan = Self.fresh
        plan.handle(.failed(retryAfter: .seconds(600)), at: Self.time(10))
        #expect(wait(plan, at: 10) == .seconds(600))
        #expect(plan.step(at: Self.time(610)) == .send(isChange: false))
    }
}
