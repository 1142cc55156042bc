// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct ClockStepWatchTests {
    @Test func aClockThatWasNotSetIsQuiet() throws {
        #expect(try ClockStepWatch().wasSet() == false)
    }
}
