// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

@Suite struct PCMLayoutTests {
    /// Frames of a period and of a buffer for a number of microseconds at 16 kHz, where one lasts
    /// 62.5 µs: a card wakes us after one at least, and plays one while the other is filled.
    @Test(arguments: [(0, 1, 2), (62, 1, 2), (63, 1, 2), (124, 1, 2), (125, 2, 2), (188, 3, 3), (1000, 16, 16)])
    func aPeriodHasAFrameAndABufferTwo(microseconds: Int, period: Int, buffer: Int) {
        let length = Duration.microseconds(microseconds)
        let layout = PCMLayout(PCMParameters(device: "card", rate: 16_000, period: length, buffer: length))
        #expect(layout.period == period && layout.buffer == buffer)
    }
}
