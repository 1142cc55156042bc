// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization
import SystemKit

/// The threads that the watchdog (`AgentWatch`) checks: the loop, the one that records, and all that measure.
/// `HangDetector` finds those that hang. Any thread.
package final class WatchedThreads: Sendable {
    /// How long each may be silent. A thread that waits for a device with nothing to say
    /// still answers.
    package struct Bounds: Sendable, Hashable {
        /// A change of enrolment seals files on the way.
        package var loop: Duration = .seconds(120)
        /// Until the start is over: files of a power cut are cut back and digested first.
        package var start: Duration = .seconds(900)
        /// A day of sound is digested when its file is sealed.
        package var recorder: Duration = .seconds(180)
        /// A driver may wait for a card that wakes up, 10 s.
        package var measuring: Duration = .seconds(30)

        package init() {}
    }

    private let bounds: Bounds
    private let turns = Atomic<Int>(0)
    private let isUp = Atomic<Bool>(false)
    private let threads = Mutex<(measuring: [LivenessProbe], recorder: LivenessProbe?)>(([], nil))

    package init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    func loopTurned() { turns.wrappingAdd(1, ordering: .releasing) }

    func loopIsUp() { isUp.store(true, ordering: .releasing) }

    /// Checks these threads, which measure and record, from now on; nil = none records.
    func watch(_ measuring: [LivenessProbe], recorder: LivenessProbe?) {
        threads.withLock { $0 = (measuring, recorder) }
    }

    var heartbeats: [ThreadHeartbeat] {
        let (measuring, recorder) = threads.withLock { $0 }
        let bound = isUp.load(ordering: .acquiring) ? bounds.loop : bounds.start
        return [ThreadHeartbeat("the loop", .loop, count: turns.load(ordering: .acquiring), bound: bound)]
            + [recorder].compactMap(\.self).map { ThreadHeartbeat($0, .recorder, bound: bounds.recorder) }
            + measuring.map { ThreadHeartbeat($0, .measuring, bound: bounds.measuring) }
    }

    /// Wakes those threads, so that they answer.
    func ask(_ names: Set<String>) {
        let (measuring, recorder) = threads.withLock { $0 }
        for probe in measuring + [recorder].compactMap(\.self) where names.contains(probe.name) { probe.ask() }
    }
}
