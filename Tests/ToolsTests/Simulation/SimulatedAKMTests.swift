// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Simulation

@Suite struct SimulatedAKMTests {
    private enum Step: Sendable {
        case sample(isTaken: Bool)
        case readData, readEnd
    }

    /// What happens, and what ST1 reads after each step.
    private static let courses: [[(Step, UInt8)]] = [
        // Data stand still from their first byte until ST2.
        [
            (.sample(isTaken: true), 0x01), (.readData, 0x00), (.sample(isTaken: false), 0x02), (.readEnd, 0x00),
            (.sample(isTaken: true), 0x01),
        ],
        // A sample that is not read is overwritten.
        [(.sample(isTaken: true), 0x01), (.sample(isTaken: true), 0x03), (.sample(isTaken: true), 0x03)],
    ]

    @Test(arguments: courses.indices) func theStatusSaysWhatBecameOfEachSample(_ index: Int) {
        var chip = SimulatedAK09916(field: { SIMD3(Double($0.nanoseconds), 0, 0) })
        for (number, (step, expected)) in Self.courses[index].enumerated() {
            switch step {
            case .sample(let isTaken):
                let before = chip.core.registers[0x11..<0x17]
                chip.measure(at: MonotonicTime(nanoseconds: Int64(number + 1)))
                #expect((chip.core.registers[0x11..<0x17] != before) == isTaken)
            case .readData: read(0x11, &chip)
            case .readEnd: read(0x18, &chip)
            }
            #expect(chip.core[0x10] == expected)
        }
    }

    private func read(_ register: UInt8, _ chip: inout SimulatedAK09916) {
        chip.core.pointer = register
        _ = chip.fetch()
    }
}
