// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The switch in an inertial sensor's housing that connects the magnetometer beside it to the bus.
/// Open after power-on.
///
/// Shared by two twins: the host sets it, the guest is connected by it.
package final class BypassSwitch: Sendable {
    private let closed = Atomic(false)

    package init() {}

    /// True while the guest is on the bus.
    package internal(set) var isClosed: Bool {
        get { closed.load(ordering: .acquiring) }
        set { closed.store(newValue, ordering: .releasing) }
    }
}
