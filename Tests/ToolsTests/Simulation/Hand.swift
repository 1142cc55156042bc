// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Synchronization

func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())) }

/// Time that the test sets.
final class Hand: Sendable {
    private let nanoseconds = Mutex<Int64>(0)
    var now: MonotonicTime {
        get { MonotonicTime(nanoseconds: nanoseconds.withLock { $0 }) }
        set { nanoseconds.withLock { $0 = newValue.nanoseconds } }
    }
}

extension SimulatedChip {
    /// What a bus does for `read(register:count:)`.
    mutating func read(register: UInt8, count: Int) -> [UInt8] {
        write([register])
        return read(count)
    }
}
