// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct EdgeSequenceTests {
    /// Edges as (number, active), and how many are missing before each.
    @Test(
        arguments: [
            ([(1, true), (2, false), (3, true)], [0, 0, 0]),
            ([(1, true), (5, true), (6, false)], [0, 3, 0]),
            ([(3, false)], [2]),
            ([(.max, true), (0, true), (1, false)], [.max - 1, 1, 0]),
            ([(0, true), (0, false), (0, false), (0, false), (0, true)], [0, 0, 1, 1, 0]),
        ] as [([(UInt32, Bool)], [UInt32])]) func whatIsMissingBetweenEdgesIsCounted(
            _ edges: [(UInt32, Bool)], _ missing: [UInt32]
        )
    {
        var sequence = EdgeSequence()
        #expect(edges.map { sequence.countMissed(number: $0.0, isActive: $0.1) } == missing.map(Int.init))
    }
}
