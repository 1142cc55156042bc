// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What one call of `Destination.send` came to. After `located` and `progressed` the `DeliveryRunner` takes the next
/// step; all others end the item's turn.
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

extension DeliveryStep {
    /// The item is tried again, after the pause that a busy server asked for.
    static func retry(_ reason: String, after response: HTTPResponse) -> DeliveryStep {
        response.retryAfter.map { .later(reason: reason, wait: $0) } ?? .finished(.retry(reason: reason))
    }

    /// `what` is the request that was answered, for the reason.
    static func foreign(_ answer: ForeignAnswer, to what: String? = nil) -> DeliveryStep {
        .foreign(reason: (what.map { "\($0): " } ?? "") + answer.reason, isPortal: answer.isPortal)
    }
}
