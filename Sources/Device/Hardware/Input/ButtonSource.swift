// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Where button edges come from: keys of an event device, or lines of a GPIO chip. `ButtonOpener` opens them,
/// `InputThread` reads them. Lives on its thread alone.
package protocol ButtonSource: AnyObject {
    /// What becomes readable when there are edges.
    var descriptor: CInt { get }
    /// When `settle` has to be called even if the descriptor stays silent; nil when it need not be.
    var due: MonotonicTime? { get }
    /// Why there are no presses now, of a source that comes back by itself; nil while it is there.
    var fault: (any Error)? { get }
    /// The edges that wait, in order; never blocks. Throws when the source is gone for good.
    func read() throws(SystemError) -> [ButtonEdge]
    /// The edges that became certain by the passing of time, for example because a contact stopped bouncing.
    func settle(at now: MonotonicTime) -> [ButtonEdge]
}

extension ButtonSource {
    package var fault: (any Error)? { nil }
    package var due: MonotonicTime? { nil }
    package func settle(at now: MonotonicTime) -> [ButtonEdge] { [] }
}

/// Puts the number of edges that the kernel dropped on the next edge that is delivered. Pure.
struct MissedEdges {
    private var handedOn = 0

    /// Returns `edges` with the number missed since the last call in the first of them; `missed` is
    /// counted from the opening of the source.
    mutating func mark(_ edges: [ButtonEdge], missed: Int) -> [ButtonEdge] {
        guard missed > handedOn, !edges.isEmpty else { return edges }
        var edges = edges
        edges[0].missedBefore = missed - handedOn
        handedOn = missed
        return edges
    }
}
