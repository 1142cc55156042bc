// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import SystemKit

/// Drains the outbox, one item at a time, and believes only receipts.
///
/// An actor on a thread of its own, `studyd-upload`, which libcurl blocks. Everything that other
/// threads may call is `nonisolated` and returns at once.
package actor Uploader {
    /// Of which enrolments it sends, to destinations that have many servers.
    package enum Enrolments: Sendable {
        case all
        /// The one in force, or the last that was.
        case latest
        /// Those that were left before: their servers may be gone for ever.
        case earlier
    }

    enum Signal: Sendable { case newItem, alarm }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let mailbox: AsyncStream<Signal>.Continuation
    private nonisolated let stopFlag: StopFlag
    /// Not a signal: the mailbox drops the oldest when nobody empties it.
    private nonisolated let hasNewNetwork = Atomic<Bool>(false)
    private let signals: AsyncStream<Signal>
    private let courier: Courier
    private let database: StudyDatabase
    private let destinations: [any Destination]
    private let enrolments: Enrolments
    private let surroundings: Surroundings
    private let policy: RetryPolicy
    private var turns: DeliveryTurns
    private var unwritten: (item: OutboxItem, result: UploadResult)?
    /// Begun in the store, and nothing of them sent yet.
    private var begun: [OutboxItem] = []
    /// A receipt waits for its flush, of a server that may keep twice what comes twice.
    private var mustFlush = false
    /// Something was delivered, and nobody was told of it yet.
    private var hasDelivered = false
    private var alarm: MonotonicTime?

    /// A thread of its own, `studyd-upload`: libcurl blocks.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An uploader to these destinations, on a thread of that name. `seed` feeds the jitter
    /// of retries only.
    package init(
        _ database: StudyDatabase, to destinations: [any Destination], of enrolments: Enrolments = .all,
        surroundings: Surroundings, policy: RetryPolicy = .init(), seed: UInt64, userAgent: String,
        certificateAuthority: String? = nil,
        thread: String = "studyd-upload"
    ) throws {
        executor = try ThreadExecutor(name: thread)
        let flag = StopFlag()
        stopFlag = flag
        courier = Courier(
            database, by: try HTTPClient(userAgent: userAgent, certificateAuthority: certificateAuthority, stop: flag),
            surroundings: surroundings, longestWait: policy.longest, stopFlag: flag)
        (signals, mailbox) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(16))
        self.database = database
        self.destinations = destinations
        self.enrolments = enrolments
        self.surroundings = surroundings
        self.policy = policy
        turns = DeliveryTurns(policy: policy, seed: seed)
    }

    package nonisolated func wake() { mailbox.yield(.newItem) }

    /// Says that a network came, so that nothing waits for its retry.
    package nonisolated func networkChanged() {
        hasNewNetwork.store(true, ordering: .releasing)
        mailbox.yield(.newItem)
    }

    /// Ends `run()`, within about a second even while a request is under way.
    package nonisolated func stop() {
        stopFlag.raise()
        mailbox.finish()
    }

    /// Sends until stopped or cancelled. To be called once.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                wake()
                for await signal in signals {
                    if signal == .alarm { alarm = nil }
                    await drain()
                    if stopFlag.isRaised { break }
                    await setAlarm(in: &group)
                }
                group.cancelAll()
            }
        } onCancel: {
            stop()
        }
        do { try await flush() } catch { surroundings.fault("\(error)") }
    }

    private func forgive() {
        guard hasNewNetwork.exchange(false, ordering: .acquiringAndReleasing) else { return }
        turns.forgive(wall: surroundings.clock.now)
    }

    private func queues(of destination: any Destination) async throws -> [DeliveryQueue] {
        guard destination.hasManyServers else { return [DeliveryQueue(destination: destination.name, enrolment: nil)] }
        let latest = enrolments == .all ? nil : try await database.latestEnrolment()?.record.id
        return try await database.waitingEnrolments(for: destination.name).compactMap { enrolment in
            guard enrolments == .all || (enrolment == latest) == (enrolments == .latest) else { return nil }
            return DeliveryQueue(destination: destination.name, enrolment: enrolment)
        }
    }

    /// Sends whatever may be sent now, each queue one item in turn, or a few small ones.
    private func drain() async {
        await sendAll()
        do { if mustFlush { try await flush() } } catch { surroundings.fault("\(error)") }
        if hasDelivered { surroundings.delivered() }
        hasDelivered = false
    }

    private func sendAll() async {
        var isBusy = true
        while isBusy, !stopFlag.isRaised {
            isBusy = false
            for destination in destinations where !stopFlag.isRaised {
                do {
                    forgive()
                    for queue in try await queues(of: destination) where !stopFlag.isRaised {
                        isBusy = try await sendNext(to: destination, of: queue) || isBusy
                    }
                } catch {
                    surroundings.fault("\(error)")
                    pause(destination)
                }
            }
        }
    }

    /// Sends what is next; false when there was nothing whose time has come.
    private func sendNext(to destination: any Destination, of queue: DeliveryQueue) async throws -> Bool {
        try await writeUnwritten()
        try await returnBegun()
        forgive()
        let turn = turns[queue]
        guard turn.isOpen(at: surroundings.clock.monotonic), try await begin(destination, queue, turn) else {
            return false
        }
        while !begun.isEmpty {
            let item = begun.removeFirst()
            // Somebody may have deleted it while those before it were sent.
            guard try await database.item(item.item.id)?.state == .sending else { continue }
            if try await !send(item, to: destination, of: queue) { break }
        }
        try await returnBegun()
        return true
    }

    /// Says in the store what is sent next: one item, or, where the server knows again what comes
    /// twice, a few that one flush begins.
    private func begin(_ destination: any Destination, _ queue: DeliveryQueue, _ turn: DestinationTurn) async throws
        -> Bool
    {
        let isQuick = destination.knowsAgain && destination.minimumInterval == .zero && turn.failures == 0
        begun = try await database.startUploads(
            UploadChoice(
                destination: destination.name, enrolment: queue.enrolment, now: surroundings.clock.now,
                forgiving: turn.forgiving, leastTriedFirst: turn.failures > 0, longestWait: policy.longest),
            most: isQuick ? Self.most : 1, at: surroundings.stamp)
        // That flushed whatever was written before it.
        if !begun.isEmpty { mustFlush = false }
        return !begun.isEmpty
    }

    /// Delivers one item and writes what came of it; false where the others that were begun are
    /// not to follow it.
    private func send(_ item: OutboxItem, to destination: any Destination, of queue: DeliveryQueue) async throws
        -> Bool
    {
        let ending = await courier.deliver(
            item, to: destination, queue, leastTriedFirst: turns[queue].failures > 0)
        let clock = surroundings.clock
        let result = turns.end(ending, of: item, in: queue, destination, at: clock.monotonic, wall: clock.now)
        unwritten = (item, result)
        guard case .delivered = result else {
            try await writeUnwritten()
            return false
        }
        // The next beginning flushes it, or the end of all that can be sent now. Where the server
        // knows again what comes twice, the next commit does, whoever's it is, or the agent's own
        // look every few seconds.
        try await writeUnwritten(flushing: false)
        hasDelivered = true
        mustFlush = mustFlush || !destination.knowsAgain
        return !stopFlag.isRaised
    }

    /// So many small items are begun by one flush at most: what is worth more waits for no
    /// more than these.
    private static let most = 8

    /// Writes a result the store could not take before. Until it is written nothing else is sent.
    private func writeUnwritten(flushing: Bool = true) async throws {
        guard let (item, result) = unwritten else { return }
        try await database.finishUpload(
            item.item.id, result, flushing: flushing, at: surroundings.stamp(item.enrolment))
        unwritten = nil
    }

    private func returnBegun() async throws {
        guard let first = begun.first else { return }
        try await database.returnUploads(begun.map(\.item.id), at: surroundings.stamp(first.enrolment))
        begun = []
    }

    /// Receipts that waited for it survive a power cut from here on.
    private func flush() async throws {
        try await database.flush()
        mustFlush = false
    }

    /// The store refused: the disk may be full. Nothing is sent for a while.
    private func pause(_ destination: any Destination) {
        turns.pause(destination.name, for: .seconds(5), at: surroundings.clock.monotonic)
    }

    /// Sets the alarm for the earliest retry, unless one that rings before it is set already.
    private func setAlarm(in group: inout DiscardingTaskGroup) async {
        guard let wait = await nextWait() else { return }
        let now = surroundings.clock.monotonic
        let deadline = now + wait
        if let alarm, alarm <= now { self.alarm = nil }
        guard alarm.map({ deadline < $0 }) ?? true else { return }
        alarm = deadline
        group.addTask { [surroundings, mailbox] in
            try? await surroundings.clock.sleep(until: deadline)
            mailbox.yield(.alarm)
        }
    }

    /// How long nothing can be sent; nil when nothing is waiting.
    private func nextWait() async -> Duration? {
        var waits: [Duration] = unwritten == nil && begun.isEmpty && !mustFlush ? [] : [.seconds(5)]
        let clock = surroundings.clock
        for destination in destinations {
            for queue in (try? await queues(of: destination)) ?? [] {
                guard let retry = try? await database.nextRetry(for: queue.destination, of: queue.enrolment) else {
                    continue
                }
                let own = min(max(retry - clock.now, .milliseconds(100)), policy.longest)
                let quiet = turns[queue].closedUntil.map { $0 - clock.monotonic } ?? .zero
                waits.append(max(own, quiet))
            }
        }
        return waits.min()
    }
}
