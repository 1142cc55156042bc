// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The switch inside an inertial sensor that connects the magnetometer behind it to the bus. Open
/// after power-on.
///
/// Shared by two simulated chips: the inertial sensor sets it, and the magnetometer is on the bus
/// only while it is closed.
package final class BypassSwitch: Sendable {
    private let closed = Atomic(false)

    package init() {}

    /// True while the magnetometer is on the bus.
    package internal(set) var isClosed: Bool {
        get { closed.load(ordering: .acquiring) }
        set { closed.store(newValue, ordering: .releasing) }
    }
}
