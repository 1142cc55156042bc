// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct ClockStepWatchTests {
    @Test func aClockThatNobodySetIsQuiet() throws {
        #expect(try ClockStepWatch().wasSet() == false)
    }
}
