// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// Writes down when it was served.
private final class Ticker: PolledDevice {
    var due: MonotonicTime
    let period: Duration
    var served: [MonotonicTime] = []
    init(first: Double, period: Duration) {
        due = at(first)
        self.period = period
    }
    func serve(at now: MonotonicTime) {
        served.append(now)
        due = now + period
    }
}

@Test func devicesAreServedWhenDueAndTheClockFollows() {
    let clock = VirtualClock(now: Instant(seconds: 0))
    let poller = SteppedPoller(clock: clock)
    let (slow, quick) = (Ticker(first: 1, period: .seconds(2)), Ticker(first: 0.5, period: .seconds(1)))
    poller.add(slow)
    poller.add(quick)
    #expect(poller.due == at(0.5))
    poller.run(until: at(5))
    #expect(slow.served == [at(1), at(3), at(5)] && quick.served == [0.5, 1.5, 2.5, 3.5, 4.5].map(at))
    #expect(clock.monotonic == at(5) && poller.due == at(5.5))
    #expect(poller.wakeUps == [3, 5])
}

@Test(.timeLimit(.minutes(10))) func aDeviceThatIsAlwaysDueDoesNotHoldTimeUp() {
    let poller = SteppedPoller(clock: VirtualClock(now: Instant(seconds: 0)))
    let hasty = Ticker(first: 0, period: .zero)
    poller.add(hasty)
    poller.run(until: at(1))
    #expect(hasty.served.count == 1001)
}
