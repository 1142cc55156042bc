// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Simulation
import Study
import Synchronization
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct DeviceSignalServiceTests {
    private final class Switch: Sendable {
        private let state = Mutex(false)
        var isOn: Bool { state.withLock { $0 } }
        func turnOn() { state.withLock { $0 = true } }
    }

    /// A board without a battery for its clock learns the time after its start: what is switched on for
    /// less than an hour at a time sends signals, too.
    @Test func theFirstSignalsComeWithTheClockAndTheNextAnHourLater() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        let ntp = Switch()
        let trust = ClockTrust { ntp.isOn ? (.kernel, .milliseconds(200)) : (.unknown, .seconds(9_000)) }
        let service = DeviceSignalService(
            database: bench.database, destinations: ["radar"], sysfs: "",
            stamps: EventClock(clock: bench.clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin)),
            clock: ClockStatus(trust: trust, bound: .seconds(300)), wakeUploader: {},
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await service.run() }
        // After each round two sleep: the alarm, and the least pause.
        await bench.clock.whenSleeping(2)
        #expect(try await bench.database.items().isEmpty)
        ntp.turnOn()
        var counts: [Int] = []
        for second in [60, 3_600, 3_660] as [Int64] {
            bench.clock.advance(to: MonotonicTime(nanoseconds: second * 1_000_000_000))
            if second != 3_600 { await bench.clock.whenSleeping(2) }
            counts.append(try await bench.database.items().count)
        }
        #expect(counts == [1, 1, 2])
        running.cancel()
        _ = await running.result
    }
}
