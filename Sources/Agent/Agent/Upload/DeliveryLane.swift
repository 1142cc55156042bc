// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import SystemKit

/// Sends one queue of the outbox, an item at a time; an item counts as delivered only with a receipt.
/// `Uploader` makes a lane for each queue and calls `run` once.
///
/// An actor on a separate thread, which libcurl blocks. Everything that other threads may call is
/// `nonisolated` and returns at once.
actor DeliveryLane {
    private nonisolated let executor: ThreadExecutor
    private nonisolated let mailbox: AsyncStream<Void>.Continuation
    private nonisolated let stopFlag: StopFlag
    /// A flag, because the mailbox drops the oldest signal when it is full.
    private nonisolated let hasNewNetwork = Atomic<Bool>(false)
    private nonisolated let sendsNow = Atomic<Bool>(false)
    private let signals: AsyncStream<Void>
    private let runner: DeliveryRunner
    private let database: StudyDatabase
    private let queue: DeliveryQueue
    private let destination: any Destination
    private let context: UploadContext
    private let policy: RetryPolicy
    /// How long nothing is sent after a failure (`turn`), and when an item is retried.
    private var backoff: DeliveryBackoff
    /// Closed: only what is urgent is sent, so that the radio is on at intervals only (`context.every`).
    private var window: DeliveryWindow
    /// How the last item ended, as long as the store could not write it; nil = it did.
    private var unwritten: (item: OutboxItem, result: UploadResult)?
    /// Items that the store has as being sent, but of which nothing was sent yet; sent, or returned by
    /// `returnBegun`.
    private var begun: [OutboxItem] = []
    /// A receipt was written and not flushed, and the server does not recognise repeated requests: after a power
    /// cut now the item would be sent again, and stored twice.
    private var mustFlush = false
    /// Something was delivered, and that was not reported yet.
    private var hasDelivered = false
    /// When the lane wakes by itself; nil = it does not.
    private var alarm: MonotonicTime?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ queue: DeliveryQueue, of database: StudyDatabase, to destination: any Destination, context: UploadContext,
        policy: RetryPolicy, backoff: DeliveryBackoff, userAgent: String
    ) throws {
        executor = try ThreadExecutor(name: destination.hasManyServers ? "studyd-upload" : "studyd-files")
        let flag = StopFlag()
        stopFlag = flag
        runner = DeliveryRunner(
            database, to: destination, by: try HTTPClient(userAgent: userAgent, stop: flag), context: context,
            longestWait: policy.longest, stopFlag: flag)
        (signals, mailbox) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(16))
        self.queue = queue
        self.database = database
        self.destination = destination
        self.context = context
        self.policy = policy
        self.backoff = backoff
        window = DeliveryWindow(every: context.every)
    }

    /// Something was queued, or may be due.
    nonisolated func wake() { mailbox.yield() }

    /// Like `wake`, and sends now what `DeliveryWindow` holds back.
    nonisolated func sendNow() {
        sendsNow.store(true, ordering: .releasing)
        mailbox.yield()
    }

    nonisolated func networkChanged() {
        hasNewNetwork.store(true, ordering: .releasing)
        mailbox.yield()
    }

    /// Ends `run()`, within about a second even while a request is under way.
    nonisolated func stop() {
        stopFlag.raise()
        mailbox.finish()
    }

    /// Sends until stopped; a lane for one enrolment ends when nothing waits. To be called once.
    func run() async {
        await withDiscardingTaskGroup { group in
            wake()
            for await _ in signals {
                await drain()
                let wait = await nextWait()
                if stopFlag.isRaised || wait == nil && queue.enrolment != nil { break }
                setAlarm(wait, in: &group)
            }
            group.cancelAll()
        }
        do { try await flush() } catch { context.report(.fault("\(error)")) }
        runner.close()
    }

    /// Does what `sendNow` and `networkChanged` asked for since the last item.
    private func applySignals() {
        if sendsNow.exchange(false, ordering: .acquiringAndReleasing) { window.open() }
        guard hasNewNetwork.exchange(false, ordering: .acquiringAndReleasing) else { return }
        backoff.reset(wall: context.clock.now)
        window.open()
    }

    private func drain() async {
        guard await database.hasStarted else { return }
        do {
            while !stopFlag.isRaised, try await sendNext() {}
            let now = context.clock.monotonic
            if backoff.turn.isOpen(at: now) { window.close(at: now) }
        } catch {
            context.report(.fault("\(error)"))
            // The store refused: the disk may be full.
            backoff.pause(for: .seconds(5), at: context.clock.monotonic)
        }
        do { if mustFlush { try await flush() } } catch { context.report(.fault("\(error)")) }
        if hasDelivered { context.report(.delivered) }
        hasDelivered = false
    }

    /// Sends what is next, or a few small ones; false when nothing was due.
    private func sendNext() async throws -> Bool {
        try await writeUnwritten()
        try await returnBegun()
        applySignals()
        guard backoff.turn.isOpen(at: context.clock.monotonic), try await begin() else { return false }
        while !begun.isEmpty {
            // It may have been deleted while those before it were sent.
            let isWanted = try await database.item(begun[0].item.id)?.state == .sending
            let item = begun.removeFirst()
            if isWanted, try await !send(item) { break }
        }
        try await returnBegun()
        return true
    }

    /// Has the store choose and log what is sent next: one item, or a few with one flush where the server
    /// recognises what comes twice. False = nothing was due.
    private func begin() async throws -> Bool {
        let turn = backoff.turn
        let isQuick = destination.recognisesRepeats && destination.minimumInterval == .zero && turn.failures == 0
        begun = try await database.startUploads(
            UploadChoice(
                destination: queue.destination, enrolment: queue.enrolment, now: context.clock.now,
                resettingBackoffBefore: turn.resettingBackoffBefore, leastTriedFirst: turn.failures > 0,
                longestWait: policy.longest, onlyUrgent: !window.isOpen(at: context.clock.monotonic)),
            most: isQuick ? Self.largestBatch : 1, at: context.stamp)
        if begun.first?.item.itemClass == .answers { window.open() }
        // `startUploads` flushed whatever was written before it.
        if !begun.isEmpty { mustFlush = false }
        return !begun.isEmpty
    }

    /// Sends one item and writes the result; false where the other begun items are not to be sent after it.
    private func send(_ item: OutboxItem) async throws -> Bool {
        let ending = await runner.run(item, in: queue, leastTriedFirst: backoff.turn.failures > 0)
        let clock = context.clock
        let result = backoff.end(ending, of: item, destination, at: clock.monotonic, wall: clock.now)
        unwritten = (item, result)
        guard case .delivered = result else {
            try await writeUnwritten()
            return false
        }
        // The next beginning flushes it, or the end of all that can be sent now. Where the server
        // recognises what comes twice, any later commit flushes it, or the agent's own look every
        // few seconds.
        try await writeUnwritten(flushing: false)
        hasDelivered = true
        mustFlush = mustFlush || !destination.recognisesRepeats
        return !stopFlag.isRaised
    }

    /// At most this many small items are begun by one flush: an item of a higher class waits for no more
    /// than these.
    private static let largestBatch = 8

    /// Writes a result the store could not take before. Until it is written nothing else is sent.
    private func writeUnwritten(flushing: Bool = true) async throws {
        guard let (item, result) = unwritten else { return }
        do {
            try await database.finishUpload(
                item.item.id, result, flushing: flushing, at: context.stamp(item.enrolment))
            if case .refused(let reason) = result {
                context.report(
                    .refused(enrolment: item.enrolment, destination: item.item.destination, reason: reason))
            }
        } catch StoreError.noSuchItem {
            // Lost with a damaged page; what is left of the log has queued it again, or knows nothing of it.
            context.report(.fault("what became of \(item.item.id) cannot be written: the store has lost it"))
        }
        unwritten = nil
    }

    private func returnBegun() async throws {
        guard let first = begun.first else { return }
        try await database.returnUploads(begun.map(\.item.id), at: context.stamp(first.enrolment))
        begun = []
    }

    /// Returns when all receipts written so far survive a power cut.
    private func flush() async throws {
        try await database.flush()
        mustFlush = false
    }

    /// Wakes the lane after `wait`, unless an earlier alarm is set already.
    private func setAlarm(_ wait: Duration?, in group: inout DiscardingTaskGroup) {
        guard let wait else { return }
        let now = context.clock.monotonic
        let deadline = now + wait
        if let alarm, alarm <= now { self.alarm = nil }
        guard alarm.map({ deadline < $0 }) ?? true else { return }
        alarm = deadline
        group.addTask { [context, mailbox] in
            try? await context.clock.sleep(until: deadline)
            mailbox.yield()
        }
    }

    /// How long to wait before the next try; nil when nothing is waiting and the server may be asked at once.
    private func nextWait() async -> Duration? {
        // The start wakes it; a disk that is full may hold it up for hours.
        guard await database.hasStarted else { return .seconds(5) }
        let clock = context.clock
        // While the destination is left alone.
        let quiet = backoff.turn.closedUntil.map { max($0 - clock.monotonic, .zero) } ?? .zero
        if unwritten != nil || !begun.isEmpty || mustFlush { return .seconds(5) }
        do {
            guard let wait = try await wait(onlyUrgent: false) else { return quiet > .zero ? quiet : nil }
            guard let opens = window.opens, opens > clock.monotonic else { return max(wait, quiet) }
            // Until the window opens; what is urgent does not wait for that.
            let gathered = opens - clock.monotonic
            return max(min(try await self.wait(onlyUrgent: true) ?? gathered, gathered), quiet)
        } catch { return .seconds(5) }
    }

    /// How long until the next item may be tried; nil where none waits.
    private func wait(onlyUrgent: Bool) async throws -> Duration? {
        let retry = try await database.nextRetry(
            for: queue.destination, of: queue.enrolment, onlyUrgent: onlyUrgent)
        return retry.map { min(max($0 - context.clock.now, .milliseconds(100)), policy.longest) }
    }
}

/// Items that one `DeliveryLane` sends one after another: all of a destination's or, where its items go to
/// many servers, those of one enrolment. The server of a study that was left may be gone for ever, and must
/// not hold up the next study's.
struct DeliveryQueue: Sendable, Hashable {
    let destination: String
    /// nil = the items of all enrolments.
    let enrolment: String?
}
