// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization

/// Collects what live views are to show, from any thread, and wakes `LiveFeed`, which publishes it.
final class LiveNews: Sendable {
    struct Gathered: Sendable {
        var epochs: [FeatureEpoch] = []
        /// The state of the device has changed, so the status is to be published again.
        var isChanged = false
        var networkCame = false
    }

    let work: RepeatedWork
    private let gathered = Mutex(Gathered())

    init(clock: any StudyClock) { work = RepeatedWork(clock: clock, leastPause: .seconds(1)) }

    /// Keeps the newest `LiveQueue.most` epochs; older ones are dropped.
    func add(_ epochs: [FeatureEpoch]) {
        gathered.withLock { $0.epochs = ($0.epochs + epochs).suffix(LiveQueue.most) }
        work.wake()
    }

    func stateChanged() {
        gathered.withLock { $0.isChanged = true }
        work.wake()
    }

    func networkCame() {
        gathered.withLock { $0.networkCame = true }
        work.wake()
    }

    func take() -> Gathered {
        gathered.withLock { gathered in
            defer { gathered = Gathered() }
            return gathered
        }
    }
}
