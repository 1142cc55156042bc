// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Agent

@Suite struct HourWindowTests {
    private func counts(_ due: Int) -> SampleCounts {
        var counts = SampleCounts()
        counts.due = due
        counts.stored = due - 1
        counts.lost = [.ringFull: 1]
        return counts
    }

    @Test func withinTheFirstHourEverythingCounts() {
        var window = HourWindow()
        _ = window.add(counts(10), at: .zero)
        #expect(window.add(counts(500), at: .zero + .seconds(1800)) == counts(500))
    }

    @Test func afterAnHourOnlyTheLastHourCounts() {
        var window = HourWindow()
        for minute in 0...180 {
            let latest = window.add(counts(1 + minute * 60), at: .zero + .seconds(minute * 60))
            if minute == 180 {
                #expect(latest.due == 3600)
                #expect(latest.stored == 3600)
                #expect(latest.lost.isEmpty)
            }
        }
    }

    @Test func frequentCallsKeepOneMarkAMinute() {
        var window = HourWindow()
        var latest = SampleCounts()
        for second in 0...7200 { latest = window.add(counts(1 + second), at: .zero + .seconds(second)) }
        #expect((3600...3660).contains(latest.due))
    }
}
