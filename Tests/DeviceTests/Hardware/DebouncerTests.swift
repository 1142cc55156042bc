// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

private func ms(_ value: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: value * 1_000_000) }

@Suite struct DebouncerTests {
    /// Edges as (milliseconds, pressed); what is reported when the time is asked for
    /// every millisecond.
    @Test(
        arguments: [
            ([(10, true)], [(10, true)]),
            ([(10, true), (11, false), (12, true)], [(10, true)]),
            ([(10, true), (11, false)], [(10, true), (11, false)]),
            ([(10, true), (60, false), (61, true), (62, false)], [(10, true), (60, false)]),
            ([(10, true), (25, false), (40, true)], [(10, true), (25, false), (40, true)]),
            ([(10, false)], []),
        ] as [([(Int64, Bool)], [(Int64, Bool)])])
    func bounceIsTakenOutAndTimesStay(_ edges: [(Int64, Bool)], _ expected: [(Int64, Bool)]) {
        var debouncer = Debouncer(period: .milliseconds(10))
        var changes: [Debouncer.Change] = []
        for time in 0...100 as ClosedRange<Int64> {
            if let due = debouncer.due, due <= ms(time) { changes += debouncer.settle(at: ms(time)) }
            for edge in edges where edge.0 == time { changes += debouncer.edge(isPressed: edge.1, at: ms(time)) }
        }
        #expect(changes.map(\.time) == expected.map { ms($0.0) })
        #expect(changes.map(\.isPressed) == expected.map(\.1))
        #expect(debouncer.due == nil)
    }

    @Test(arguments: [8, 10, 20, 50]) func aContactThatBouncesFor20MillisecondsIsOnePress(_ period: Int64) {
        var debouncer = Debouncer(period: .milliseconds(period))
        let bounce: [Int64] = [0, 1, 2, 5, 6, 9, 13, 20]  // an even number of edges: the last says released
        var changes: [Debouncer.Change] = []
        for (index, time) in (bounce + [21]).enumerated() {
            changes += debouncer.edge(isPressed: index % 2 == 0, at: ms(100 + time))
        }
        changes += settled(&debouncer)
        #expect(changes == [Debouncer.Change(isPressed: true, time: ms(100))])
    }

    /// A thread that comes late finds a tap that is over; the press after it is as good as any.
    @Test func whatIsReadLateDoesNotMakeTheNextPressRestless() {
        var debouncer = Debouncer(period: .milliseconds(10))
        var changes = debouncer.edge(isPressed: true, at: ms(1000)) + debouncer.edge(isPressed: false, at: ms(1004))
        changes += debouncer.edge(isPressed: true, at: ms(1500)) + debouncer.edge(isPressed: false, at: ms(1501))
        changes += debouncer.edge(isPressed: true, at: ms(1502)) + settled(&debouncer)
        #expect(changes.map(\.time) == [ms(1000), ms(1004), ms(1500)])
        #expect(changes.map(\.hasRested) == [true, true, true])
    }

    @Test func anEdgeAfterExactlyThePeriodFindsTheContactAtRest() {
        var debouncer = Debouncer(period: .milliseconds(10))
        var changes = debouncer.edge(isPressed: true, at: ms(1000)) + debouncer.edge(isPressed: false, at: ms(1010))
        changes += debouncer.edge(isPressed: true, at: ms(1020))
        #expect(changes.map(\.time) == [ms(1000), ms(1010), ms(1020)])
        #expect(changes.map(\.hasRested) == [true, true, true])
    }

    @Test func aButtonHeldForAMinuteIsOnePressAndOneRelease() {
        var debouncer = Debouncer(period: .milliseconds(20))
        var changes = debouncer.edge(isPressed: true, at: ms(1000)) + settled(&debouncer)
        #expect(debouncer.due == nil)
        changes += debouncer.edge(isPressed: false, at: ms(61_000)) + debouncer.edge(isPressed: true, at: ms(61_003))
        changes += debouncer.edge(isPressed: false, at: ms(61_004)) + settled(&debouncer)
        #expect(changes.map(\.time) == [ms(1000), ms(61_000)])
        #expect(changes.map(\.isPressed) == [true, false])
    }

    @Test func aContactThatNeverRestsIsListenedToAgain() {
        var debouncer = Debouncer(period: .milliseconds(10))
        let edges = (0..<400).map { (time: ms(Int64($0) * 5), isPressed: $0 % 2 == 0) }
        let changes = edges.flatMap { debouncer.edge(isPressed: $0.isPressed, at: $0.time) }
        #expect((10...80).contains(changes.count))
        for (one, next) in zip(changes, changes.dropFirst()) { #expect(one.isPressed != next.isPressed) }
    }

    @Test func anEdgeThatTheKernelLostIsFoundByAskingTheContact() {
        var debouncer = Debouncer(period: .milliseconds(10))
        _ = debouncer.edge(isPressed: true, at: ms(100))
        #expect(
            debouncer.settle(at: ms(110), isPressed: false) == [Debouncer.Change(isPressed: false, time: ms(110))])
    }

    @Test func withoutAPeriodEveryEdgeIsReportedAtOnce() {
        var debouncer = Debouncer(period: .zero)
        let changes = [true, true, false, true].enumerated().flatMap {
            debouncer.edge(isPressed: $0.element, at: ms(Int64($0.offset)))
        }
        #expect(changes.map(\.time) == [ms(0), ms(2), ms(3)])
        #expect(debouncer.due == nil)
    }

    private func settled(_ debouncer: inout Debouncer) -> [Debouncer.Change] {
        var changes: [Debouncer.Change] = []
        while let due = debouncer.due { changes += debouncer.settle(at: due) }
        return changes
    }
}
