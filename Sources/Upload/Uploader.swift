// SPDX-License-Identifier: Apache-2.0
import Store
import StudyModel
import Synchronization
import SystemKit
import Times

/// Drains the outbox, one item at a time, and believes only receipts.
///
/// An actor on a thread of its own, `studyd-upload`, which libcurl blocks. Everything that other threads may call is
/// `nonisolated` and returns at once.
package actor Uploader {
    /// What wakes it.
    enum Signal: Sendable { case newItem, alarm }

    /// What it needs from outside.
    package struct Surroundings: Sendable {
        /// Retries are stored in its wall time; pauses and alarms run by its monotonic time.
        package let clock: any StudyClock
        /// The stamp of an event of that enrolment, now.
        package let stamp: @Sendable (_ enrolment: String) -> EventStamp
        /// Told what went wrong in the store, for the log; called on the uploader's thread.
        package let fault: @Sendable (String) -> Void
        /// The directory to which paths of recordings are relative.
        package let recordings: String
        /// Media types of recordings that are worth compressing on the way.
        package let compressible: Set<String>
        /// Told, by the destination's name, that a log-in page stands before its server, in words, and that none does any more: nil.
        package let portal: @Sendable (_ destination: String, _ words: String?) -> Void
        /// Told when something was delivered, once for all that went in a row; must return at once.
        package let delivered: @Sendable () -> Void

        /// Surroundings of these parts.
        package init(
            clock: any StudyClock, recordings: String, compressible: Set<String> = [],
            stamp: @escaping @Sendable (_ enrolment: String) -> EventStamp,
            fault: @escaping @Sendable (String) -> Void,
            portal: @escaping @Sendable (_ destination: String, _ words: String?) -> Void = { _, _ in },
            delivered: @escaping @Sendable () -> Void = {}
        ) {
            self.delivered = delivered
            self.portal = portal
            self.compressible = compressible
            self.clock = clock
            self.recordings = recordings
            self.stamp = stamp
            self.fault = fault
        }
    }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let mailbox: AsyncStream<Signal>.Continuation
    private nonisolated let stopFlag: StopFlag
    /// Not a signal: the mailbox drops the oldest when nobody empties it.
    private nonisolated let hasNewNetwork = Atomic<Bool>(false)
    private let signals: AsyncStream<Signal>
    private let client: HTTPClient
    private let database: StudyDatabase
    private let destinations: [any Destination]
    private let surroundings: Surroundings
    private let policy: RetryPolicy
    private var turns: DeliveryTurns
    private var paces: [String: ChunkPace] = [:]
    /// Destinations before which a log-in page stands.
    private var portals: Set<String> = []
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

    /// An uploader to these destinations, on a thread of that name. `seed` feeds the jitter of retries only.
    package init(
        _ database: StudyDatabase, to destinations: [any Destination], surroundings: Surroundings,
        policy: RetryPolicy = .init(), seed: UInt64, userAgent: String, certificateAuthority: String? = nil,
        thread: String = "studyd-upload"
    ) throws {
        executor = try ThreadExecutor(name: thread)
        let flag = StopFlag()
        stopFlag = flag
        client = try HTTPClient(userAgent: userAgent, certificateAuthority: certificateAuthority, stop: flag)
        (signals, mailbox) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(16))
        self.database = database
        self.destinations = destinations
        self.surroundings = surroundings
        self.policy = policy
        turns = DeliveryTurns(policy: policy, seed: seed)
    }

    /// Says that something was queued.
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

    /// The destination's queues.
    private func queues(of destination: any Destination) async throws -> [DeliveryQueue] {
        guard destination.hasManyServers else { return [DeliveryQueue(destination: destination.name, enrolment: nil)] }
        return try await database.waitingEnrolments(for: destination.name).map {
            DeliveryQueue(destination: destination.name, enrolment: $0)
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

    /// Says in the store what is sent next: one item, or, where the server knows again what comes twice, a few that one flush begins.
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

    /// Delivers one item and writes what came of it; false where the others that were begun are not to follow it.
    private func send(_ item: OutboxItem, to destination: any Destination, of queue: DeliveryQueue) async throws
        -> Bool
    {
        let ending = await deliver(item, to: destination, queue)
        let clock = surroundings.clock
        let result = turns.end(ending, of: item, in: queue, destination, at: clock.monotonic, wall: clock.now)
        unwritten = (item, result)
        guard case .delivered = result else {
            try await writeUnwritten()
            return false
        }
        // The next beginning flushes it, or the end of all that can be sent now. Where the server knows again what comes twice, the next commit does,
        // whoever's it is, or the agent's own look every few seconds.
        try await writeUnwritten(flushing: false)
        hasDelivered = true
        mustFlush = mustFlush || !destination.knowsAgain
        return !stopFlag.isRaised
    }

    /// So many small items are begun by one flush at most: what is worth more waits for no more than these.
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

    /// Steps until the server's last word, until it makes no more headway, or until something waits that is worth more.
    private func deliver(_ item: OutboxItem, to destination: any Destination, _ queue: DeliveryQueue) async
        -> DeliveryEnding
    {
        // It was being sent when the agent ended.
        if item.uncertain > 0, !destination.resendsUncertain {
            return .verdict(.uncertain(reason: "it was being sent when the device was switched off"))
        }
        let witness = (try? await database.witness(of: item.item.id)) ?? nil
        client.standing = witness.map { [WireRequest.Header(name: LogWitness.field, value: $0.text)] } ?? []
        let stamp = surroundings.stamp(item.enrolment)
        let told = try? await database.compliance(of: item.enrolment, at: stamp.wall, offset: stamp.zoneOffset)
        if witness != nil, let told = told ?? nil {
            client.standing.append(WireRequest.Header(name: ComplianceTold.field, value: told.text))
        }
        do {
            var job = DeliveryJob(
                item: item, content: try await database.content(of: item), directory: surroundings.recordings,
                location: item.location, offset: nil, compressible: surroundings.compressible)
            var headway = UploadProgress()
            while !stopFlag.isRaised {
                let step = try paced(&job, destination)
                if let ending = ending(step, of: job, destination) { return ending }
                guard headway.allows(step) else { return .verdict(.retry(reason: "the server redirects in circles")) }
                try await apply(step, into: &job)
                if case .progressed = step, try await isOvertaken(item, in: queue) {
                    return DeliveryEnding(result: .paused)
                }
            }
            return .verdict(.retry(reason: "cancelled because studyd is stopping"))
        } catch let error as StoreError {
            return .verdict(.refused(reason: "\(error)"))
        } catch let error as TransportError {
            report(portal: error.kind == .portal ? error.message : nil, of: item, destination)
            return .verdict(error.kind == .file ? .refused(reason: "\(error)") : .retry(reason: "\(error)"))
        } catch {
            return .verdict(.retry(reason: "\(error)"))
        }
    }

    /// One step, with as many bytes as the network carries in some seconds.
    private func paced(_ job: inout DeliveryJob, _ destination: any Destination) throws -> DeliveryStep {
        var pace = paces[destination.name, default: ChunkPace()]
        defer { paces[destination.name] = pace }
        job.chunk = pace.chunk
        job.now = surroundings.clock.now
        let began = surroundings.clock.monotonic
        do {
            let step = try destination.step(job, by: client)
            if case .progressed(let now?) = step, let before = job.offset, now > before {
                pace.took(now - before, in: surroundings.clock.monotonic - began)
            }
            return step
        } catch {
            pace.failed()
            throw error
        }
    }

    /// Nil where the next step follows.
    private func ending(_ step: DeliveryStep, of job: DeliveryJob, _ destination: any Destination) -> DeliveryEnding? {
        switch step {
        case .located, .progressed:
            report(portal: nil, of: job.item, destination)
            return nil
        case .finished(let verdict):
            if case .retry = verdict {} else { report(portal: nil, of: job.item, destination) }
            return .verdict(verdict)
        case .foreign(let reason, let isPortal):
            if isPortal { report(portal: reason, of: job.item, destination) }
            return .verdict(.retry(reason: reason))
        case .later(let reason, let wait):
            report(portal: nil, of: job.item, destination)
            return DeliveryEnding(result: .verdict(.retry(reason: reason)), plea: wait)
        }
    }

    /// Tells of a log-in page when it comes and when it is gone.
    private func report(portal reason: String?, of item: OutboxItem, _ destination: any Destination) {
        let name = destination.name
        if reason == nil ? portals.remove(name) == nil : !portals.insert(name).inserted { return }
        surroundings.portal(
            name,
            reason.map {
                "a login page blocks the server of '\(name)' (\(DeliveryTurns.bounded($0))); nothing is delivered until the device is "
                    + "logged in to its network or uses another one"
            })
    }

    /// Whether something of a higher class waits in the same queue.
    private func isOvertaken(_ item: OutboxItem, in queue: DeliveryQueue) async throws -> Bool {
        let next = try await database.nextItem(
            for: queue.destination, of: queue.enrolment, at: surroundings.clock.now, longestWait: policy.longest)
        return next.map { $0.item.itemClass < item.item.itemClass } ?? false
    }

    private func apply(_ step: DeliveryStep, into job: inout DeliveryJob) async throws {
        switch step {
        case .located(let location):
            job.location = location
            job.offset = nil
            try await database.locateUpload(
                job.item.item.id, url: location ?? "", at: surroundings.stamp(job.item.enrolment))
        case .progressed(let offset): job.offset = offset
        case .finished, .foreign, .later: break
        }
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
