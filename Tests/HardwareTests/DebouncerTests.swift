// SPDX-License-Identifier: Apache-2.0
import Testing
import Times

@testable import Hardware

private func ms(_ value: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: value * 1_000_000) }

@Suite struct DebouncerTests {
    /// Edges as (milliseconds, pressed); what is reported when the time is asked for every millisecond.
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
}
