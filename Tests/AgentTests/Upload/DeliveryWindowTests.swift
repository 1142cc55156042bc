// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct DeliveryWindowTests {
    private static func at(_ seconds: Double) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test(arguments: [nil, Duration.zero]) func withoutAnIntervalEverythingGoesAtOnce(every: Duration?) {
        var window = DeliveryWindow(every: every)
        window.close(at: Self.at(10))
        #expect(window.isOpen(at: Self.at(10)) && window.opens == nil)
    }

    @Test func itIsOpenAtFirstAndThenOnceAnInterval() {
        var window = DeliveryWindow(every: .seconds(900))
        #expect(window.isOpen(at: Self.at(10)))
        window.close(at: Self.at(10))
        #expect(window.opens == Self.at(900))
        #expect(!window.isOpen(at: Self.at(899.999)) && window.isOpen(at: Self.at(900)))
        // What comes exactly then has the next one.
        window.close(at: Self.at(900))
        #expect(window.opens == Self.at(1_800))
        // Drained again while it is closed changes nothing.
        window.close(at: Self.at(1_000))
        #expect(window.opens == Self.at(1_800))
    }

    /// Else three destinations would wake the radio three times.
    @Test func allQueuesOpenTogetherWheneverTheyWereDrained() {
        let opens = [10.0, 350.5, 899.9].map { time in
            var window = DeliveryWindow(every: .seconds(900))
            window.close(at: Self.at(time))
            return window.opens
        }
        #expect(opens == [Self.at(900), Self.at(900), Self.at(900)])
    }

    @Test func whatIsGatheredGoesWithAnAnswer() {
        var window = DeliveryWindow(every: .seconds(900))
        window.close(at: Self.at(10))
        window.open()
        #expect(window.isOpen(at: Self.at(20)) && window.opens == nil)
        window.close(at: Self.at(21))
        #expect(!window.isOpen(at: Self.at(22)) && window.opens == Self.at(900))
    }

    /// A day with an event each minute and four answers wakes the radio a hundred times, and not
    /// 1444 times.
    @Test func aDayHasAsManyWindowsAsQuartersOfAnHourAndAnswers() {
        var window = DeliveryWindow(every: .seconds(900))
        var wakes = 0
        for minute in 0..<1_440 {
            let now = Self.at(Double(minute) * 60 + 30)
            if minute % 360 == 100 { window.open() }
            guard window.isOpen(at: now) else { continue }
            wakes += 1
            window.close(at: now)
        }
        #expect(wakes == 1 + 95 + 4)
    }
}
