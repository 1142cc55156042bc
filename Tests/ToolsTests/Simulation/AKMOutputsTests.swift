// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Simulation

@Suite struct AKMOutputsTests {
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
        var outputs = AKMOutputs()
        var status: UInt8 = 0
        for (step, expected) in Self.courses[index] {
            switch step {
            case .sample(let isTaken):
                let wasTaken = outputs.admit(status: &status)
                #expect(wasTaken == isTaken)
            case .readData: outputs.readData(status: &status)
            case .readEnd: outputs.readEnd(status: &status)
            }
            #expect(status == expected)
        }
    }
}
