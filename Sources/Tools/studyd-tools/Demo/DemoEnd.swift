// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Whether the demo's agent has ended, for the loop of `Demo`; any thread may ask.
final class DemoEnd: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
}
