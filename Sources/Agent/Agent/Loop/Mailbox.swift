// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What waits for `StudyLoop`: any part of the agent posts an event, and the loop alone reads `events`. Bounded; what it
/// had to drop is counted.
final class Mailbox: Sendable {
    let events: AsyncStream<AgentEvent>
    private let continuation: AsyncStream<AgentEvent>.Continuation
    private let dropped = Atomic<Int>(0)

    init() {
        (events, continuation) = AsyncStream.makeStream(of: AgentEvent.self, bufferingPolicy: .bufferingOldest(8192))
    }

    /// Any thread; never blocks.
    func post(_ event: AgentEvent) { if case .dropped = continuation.yield(event) { countLoss() } }

    /// Counts an event that was taken and could not be kept.
    func countLoss() { dropped.wrappingAdd(1, ordering: .relaxed) }

    var losses: Int { dropped.load(ordering: .relaxed) }
}
