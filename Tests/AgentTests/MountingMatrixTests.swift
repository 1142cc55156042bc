// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct MountingMatrixTests {
    @Test func aChipCanBeTurnedAndMirrored() {
        #expect(MountingMatrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) != nil)
        #expect(
            MountingMatrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])?.description == "[[0, -1, 0], [1, 0, 0], [0, 0, 1]]")
        #expect(MountingMatrix([[-1, 0, 0], [0, 1, 0], [0, 0, 1]]) != nil)
    }

    @Test(
        arguments: [
            ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], false), ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], false),
            ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], false), ([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], false),
            ([[-1, 0, 0], [0, 1, 0], [0, 0, 1]], true), ([[0, 1, 0], [1, 0, 0], [0, 0, 1]], true),
            ([[0, 0, 1], [0, 1, 0], [1, 0, 0]], true), ([[-1, 0, 0], [0, -1, 0], [0, 0, -1]], true),
        ] as [([[Int]], Bool)])
    func anOddNumberOfTurnedOrExchangedAxesMirrors(_ rows: [[Int]], _ isMirroring: Bool) {
        #expect(MountingMatrix(rows)?.isMirroring == isMirroring)
    }

    static let wrong: [[[Int]]] = [
        [], [[1]], [[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 0, 0], [0, 0, 1]], [[2, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[1, 1, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0], [0, 1], [0, 0]],
    ]

    @Test(arguments: wrong) func whatLosesAnAxisIsNone(_ rows: [[Int]]) { #expect(MountingMatrix(rows) == nil) }
}
