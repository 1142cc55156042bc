// SPDX-License-Identifier: Apache-2.0
import Hardware
import Testing

@Suite struct ClockStepWatchTests {
    @Test func aClockThatNobodySetIsQuiet() throws {
        #expect(try ClockStepWatch().wasSet() == false)
    }
}
