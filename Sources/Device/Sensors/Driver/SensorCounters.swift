// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// What one sensor has done so far. Written by `SampledDevice` or `IIOReader` on its thread, read by any other,
/// such as for `status`; the values only grow.
package final class SensorCounters: Sendable {
    private let reads = Atomic<Int>(0)
    private let losses = Mutex<[LossReason: Int]>([:])
    private let failures = Atomic<Int>(0)
    private let starts = Atomic<Int>(0)
    private let present = Mutex<SensorTrouble?>(nil)

    package init() {}

    /// Samples put into the ring.
    package var read: Int { reads.load(ordering: .relaxed) }
    /// Samples known to be lost, whatever the reason.
    package var lost: Int { losses.withLock { $0.values.reduce(0, +) } }
    package var errors: Int { failures.load(ordering: .relaxed) }
    /// How often the chip was set up; above 1 it was lost in between.
    package var setUps: Int { starts.load(ordering: .relaxed) }
    /// Why there are no samples at present; nil while there are. The samples missed since are
    /// counted, and written as a gap, once the chip is back; until then their number is estimated as
    /// the nominal rate times the time since.
    package var trouble: SensorTrouble? { present.withLock { $0 } }

    /// Samples lost for that reason; 0 for reasons that do not concern a chip.
    package func lost(_ reason: LossReason) -> Int { losses.withLock { $0[reason] ?? 0 } }

    func countRead() { reads.wrappingAdd(1, ordering: .relaxed) }
    func countLost(_ count: Int, _ reason: LossReason) { losses.withLock { $0[reason, default: 0] += count } }
    func countError(_ fault: SensorFault, since: MonotonicTime) {
        failures.wrappingAdd(1, ordering: .relaxed)
        present.withLock { $0 = SensorTrouble(fault: fault, since: $0?.since ?? since) }
    }
    func countSetUp() { starts.wrappingAdd(1, ordering: .relaxed) }
    func endTrouble() { present.withLock { $0 = nil } }
}

/// Why a sensor gives no samples at present, and since when.
package struct SensorTrouble: Sendable, Hashable {
    package let fault: SensorFault
    /// CLOCK_MONOTONIC of the last sample that is accounted for.
    package let since: MonotonicTime
}
