// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

@Suite struct FramePacerTests {
    private let parameters = PCMParameters(device: "mic", rate: 16_000)

    @Test func aDelayedClockAsksForWhatIsDueAndGivesUpWhatABufferCouldNotHold() {
        var pacer = FramePacer(PCMLayout(parameters), start: .zero)
        #expect(pacer.due(at: .zero + .milliseconds(100)) == 1600)
        pacer.advance(1600)
        #expect(pacer.time == .zero + .milliseconds(100))
        #expect(pacer.due(at: .zero + .milliseconds(100)) == 0)
        #expect(pacer.overrun(at: .zero + .seconds(2)) == 0)
        #expect(pacer.overrun(at: .zero + .seconds(3)) == 14_400)
    }
}
