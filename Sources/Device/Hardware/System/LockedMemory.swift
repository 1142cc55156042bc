// SPDX-License-Identifier: Apache-2.0
import CLinux
import Synchronization

/// Keeps rings in memory, so that a measuring thread never waits for a page; counts what the kernel refused.
/// `MeasuringSystem` has one.
///
/// Only rings are locked: locking the whole process costs 50 to 70 MB.
package final class LockedMemory: Sendable {
    private let bytes = Atomic<Int>(0)
    private let refusals = Atomic<Int>(0)

    package init() {}

    package var lockedBytes: Int { bytes.load(ordering: .relaxed) }
    /// How many rings could not be locked (`LimitMEMLOCK=` of the service); they work all the same.
    package var failures: Int { refusals.load(ordering: .relaxed) }

    /// Locks a ring; false when refused, which is counted. The lock ends with the process.
    @discardableResult
    package func lock<Frame>(_ ring: FrameRing<Frame>) -> Bool {
        let memory = ring.memory
        guard mlock(memory.baseAddress, memory.count) == 0 else {
            refusals.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        bytes.wrappingAdd(memory.count, ordering: .relaxed)
        return true
    }
}
