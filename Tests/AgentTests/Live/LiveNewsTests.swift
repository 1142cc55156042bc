// SPDX-License-Identifier: Apache-2.0
import Base
import Patience
import Simulation
import Study
import Synchronization
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct LiveNewsTests {
    /// Whatever comes, it is published in a round of its own and not an hour later; and once.
    @Test func eachKindOfNewsIsToldAtOnce() async throws {
        let clock = VirtualClock(now: .epoch)
        let news = LiveNews(clock: clock)
        let rounds = Mutex<[String]>([])
        let running = Task {
            await news.work.run {
                let gathered = news.take()
                rounds.withLock { $0.append("\(gathered.epochs.count) \(gathered.isChanged) \(gathered.networkCame)") }
                return .seconds(3_600)
            }
        }
        let epoch = FeatureEpoch(
            source: "accelerometer", start: .epoch, length: .seconds(60), columns: ["enmo"], values: [0], coverage: 1)
        let deeds: [() -> Void] = [{ news.add([epoch, epoch]) }, { news.stateChanged() }, { news.networkCame() }]
        // After each round two sleep: the alarm, and the least pause of a second.
        await clock.whenSleeping(2)
        for (second, deed) in deeds.enumerated() {
            deed()
            clock.advance(to: .zero + .seconds(second + 1))
            try await eventually("a round") { clock.sleeping == 2 }
        }
        running.cancel()
        await running.value
        #expect(rounds.withLock { $0 } == ["0 false false", "2 false false", "0 true false", "0 false true"])
    }
}
