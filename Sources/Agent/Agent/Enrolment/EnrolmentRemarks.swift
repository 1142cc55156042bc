// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// Collects the remarks of an enrolment for the person who enrolled; any thread.
package final class EnrolmentRemarks: Sendable {
    private let collected = Mutex<[String]>([])

    package init() {}

    /// To be given to `Enroller.enrol` as its `progress`.
    package func record(_ progress: Enroller.Progress) {
        if case .remark(let text) = progress { collected.withLock { $0.append(text) } }
    }

    /// A line for each remark, below what else is printed; empty where there is none.
    package var lines: String { collected.withLock { $0.map { "\nremark: " + $0.shown(indent: 8) }.joined() } }
}
