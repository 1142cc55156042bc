// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Set once, from any thread, to end what is under way: by `DeliveryLane` and `ReportService` for their requests.
/// libcurl looks at it about once a second.
package final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    /// There is no lowering it again.
    package func raise() { flag.store(true, ordering: .releasing) }

    package var isRaised: Bool { flag.load(ordering: .acquiring) }
}
