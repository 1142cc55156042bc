// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import SystemKit

/// Sends what waits in the outbox, to every destination at once, while `UploadService` or a command runs it: each
/// queue has a separate thread and connection (`DeliveryLane`), so that a server that does not answer, which takes
/// half a minute to find out each time, delays no other. Any thread.
package final class Uploader: Sendable {
    private struct State {
        var lanes: [DeliveryQueue: DeliveryLane] = [:]
        /// When the network last changed; lanes made later skip retries planned before it.
        var networkCame: Instant?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let mailbox: AsyncStream<Void>.Continuation
    private let database: StudyDatabase
    private let destinations: [any Destination]
    private let context: UploadContext
    private let policy: RetryPolicy
    private let seed: UInt64
    private let userAgent: String

    /// `seed` feeds the jitter of retries only.
    package init(
        _ database: StudyDatabase, to destinations: [any Destination], context: UploadContext,
        policy: RetryPolicy = .init(), seed: UInt64, userAgent: String
    ) {
        (signals, mailbox) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.database = database
        self.destinations = destinations
        self.context = context
        self.policy = policy
        self.seed = seed
        self.userAgent = userAgent
    }

    private var lanes: [DeliveryLane] { state.withLock { Array($0.lanes.values) } }

    package func wake() {
        for lane in lanes { lane.wake() }
        mailbox.yield()
    }

    /// The same, and sends at once what `DeliveryWindow` holds back.
    package func sendNow() {
        for lane in lanes { lane.sendNow() }
        mailbox.yield()
    }

    /// Says that a network came, so that nothing waits for its retry.
    package func networkChanged() {
        let now = context.clock.now
        state.withLock { $0.networkCame = now }
        for lane in lanes { lane.networkChanged() }
        mailbox.yield()
    }

    /// Ends `run()`, within about a second even while requests are under way.
    package func stop() {
        state.withLock { $0.isStopped = true }
        for lane in lanes { lane.stop() }
        mailbox.finish()
    }

    /// Sends until stopped or cancelled. To be called once.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                mailbox.yield()
                for await _ in signals { await openLanes(in: &group) }
            }
        } onCancel: {
            stop()
        }
    }

    private func openLanes(in group: inout DiscardingTaskGroup) async {
        do {
            for destination in destinations {
                for queue in try await queues(of: destination) {
                    guard let lane = try open(queue, to: destination) else { continue }
                    group.addTask { [self] in
                        await lane.run()
                        // Items that were queued while this lane ended need a new one.
                        state.withLock { _ = $0.lanes.removeValue(forKey: queue) }
                        mailbox.yield()
                    }
                }
            }
        } catch {
            context.report(.fault("\(error)"))
            group.addTask { [context, mailbox] in
                try? await context.clock.sleep(until: context.clock.monotonic + .seconds(5))
                mailbox.yield()
            }
        }
    }

    private func queues(of destination: any Destination) async throws -> [DeliveryQueue] {
        guard destination.hasManyServers else { return [DeliveryQueue(destination: destination.name, enrolment: nil)] }
        var queues: [DeliveryQueue] = []
        for enrolment in try await database.waitingEnrolments(for: destination.name) {
            // Files that wait for refused answers cannot be sent: they need no lane.
            guard try await database.nextRetry(for: destination.name, of: enrolment) != nil else { continue }
            queues.append(DeliveryQueue(destination: destination.name, enrolment: enrolment))
        }
        return queues
    }

    /// Makes a lane for the queue; nil where it has one, or the uploader was stopped.
    private func open(_ queue: DeliveryQueue, to destination: any Destination) throws -> DeliveryLane? {
        let (isOpen, networkCame) = state.withLock { ($0.isStopped || $0.lanes[queue] != nil, $0.networkCame) }
        guard !isOpen else { return nil }
        let backoff = DeliveryBackoff(policy: policy, seed: seed, networkCame: networkCame)
        let lane = try DeliveryLane(
            queue, of: database, to: destination, context: context, policy: policy, backoff: backoff,
            userAgent: userAgent)
        return state.withLock { state in
            guard !state.isStopped else { return nil }
            state.lanes[queue] = lane
            return lane
        }
    }
}
