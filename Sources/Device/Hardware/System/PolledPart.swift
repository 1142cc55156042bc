// SPDX-License-Identifier: Apache-2.0
import Base

/// A part, of whatever kind, that may be missing; `PartPoller` then looks for it.
package protocol PolledPart: AnyObject, Sendable {
    /// Why it is missing, with the remedy; nil while it is there.
    var fault: Explanation? { get }
    /// How often it was missing so far.
    var absences: Int { get }
    /// When it is to be looked for; nil while it is there.
    var due: MonotonicTime? { get }
    /// Looks for it if that is due; true when that changed something. Blocks.
    func poll(at now: MonotonicTime) -> Bool
    /// From now on each loss calls `wake`, on the thread that noticed it; a later call replaces this one.
    func onLoss(_ wake: @escaping @Sendable () -> Void)
}
