// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct AK8963StatusTests {
    @Test(
        arguments: [(0x00, 0, false), (0x01, 1, false), (0x02, 0, false), (0x03, 1, true), (0xFC, 0, false)]
            as [(UInt8, Int, Bool)])
    func theTwoLowBitsSayWhatWaits(bits: UInt8, level: Int, isOverrun: Bool) {
        let waiting = AK8963.waiting(status: bits)
        #expect(waiting.level == level && waiting.isOverrun == isOverrun)
    }
}
