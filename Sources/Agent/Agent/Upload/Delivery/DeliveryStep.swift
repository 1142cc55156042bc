// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The result of one step. After `located` and `progressed` the runner takes the next step; all others end
/// the item's turn.
package enum DeliveryStep: Sendable, Hashable {
    /// The server made a place for the item, which is kept in the log; nil = the place is gone.
    case located(String?)
    /// How many bytes of the item the server has; nil = it has to be asked.
    case progressed(Int64?)
    /// The item was delivered, refused, is to be retried, or may or may not have arrived.
    case finished(Verdict)
    /// Something other than the server answered; `isPortal` where the whole network is unusable. To
    /// be tried again.
    case foreign(reason: String, isPortal: Bool)
    /// The server asks for a pause, of `wait` at least.
    case later(reason: String, wait: Duration)
    /// The server lacks what this item needs, such as a topic; it takes others.
    case held(reason: String)
    /// The server takes nothing of this device until somebody has done something; asked again after
    /// `wait` at the earliest.
    case blocked(Explanation, wait: Duration)
}
