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
public actor Uploader {
    /// What wakes it.
    enum Signal: Sendable { case newItem, alarm }

    /// What it needs from outside.
    public struct Surroundings: Sendable {
        /// Retries are stored in its wall time; pauses and alarms run by its monotonic time.
        public let clock: any StudyClock
        /// The stamp of an event of that enrolment, now.
        public let stamp: @Sendable (_ enrolment: String) -> EventStamp
        /// Told what went wrong in the store, for the log; called on the uploader's thread.
        public let fault: @Sendable (String) -> Void
        /// The directory to which paths of recordings are relative.
        public let recordings: String
        /// Media types of recordings that are worth compressing on the way.
        public let compressible: Set<String>
        /// Told, by the destination's name, that a log-in page stands before its server, in words, and that none does any more: nil.
        public let portal: @Sendable (_ destination: String, _ words: String?) -> Void

        /// Surroundings of these parts.
        public init(
            clock: any StudyClock, recordings: String, compressible: Set<String> = [],
            stamp: @escaping @Sendable (_ enrolment: String) -> EventStamp,
            fault: @escaping @Sendable (String) -> Void,
            portal: @escaping @Sendable (_ destination: String, _ words: String?) -> Void = { _, _ in }
        ) {
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
    private var generator: SplitMix64
    private var turns: [Queue: DestinationTurn] = [:]
    private var paces: [String: ChunkPace] = [:]
    /// Destinations before which a log-in page stands.
    private var portals: Set<String> = []

    /// How a queue begins of which nothing was sent yet.
    private var newest = DestinationTurn()

    /// What is sent in turn: the items of a destination, or where these have many servers of one enrolment. The server of a study that
    /// was left may be gone for ever, and must not hold up that of the next.
    private struct Queue: Sendable, Hashable {
        let destination: String
        /// nil = of all.
        let enrolment: String?
    }
    /// How an item's turn ended.
    private struct Ending {
        let result: Result
        /// The server asks to be left alone for so long.
        var plea: Duration = .zero

        enum Result {
            case verdict(Verdict)
            case paused
        }

        static func verdict(_ verdict: Verdict) -> Ending { Ending(result: .verdict(verdict)) }
    }

    private var unwritten: (item: OutboxItem, result: UploadResult)?
    private var alarm: MonotonicTime?

    /// A thread of its own, `studyd-upload`: libcurl blocks.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An uploader to these destinations, on a thread of that name. `seed` feeds the jitter of retries only.
    public init(
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
        generator = SplitMix64(seed: seed)
    }

    /// Says that something was queued.
    public nonisolated func wake() { mailbox.yield(.newItem) }

    /// Says that a network came, so that nothing waits for its retry.
    public nonisolated func networkChanged() {
        hasNewNetwork.store(true, ordering: .releasing)
        mailbox.yield(.newItem)
    }

    /// Ends `run()`, within about a second even while a request is under way.
    public nonisolated func stop() {
        stopFlag.raise()
        mailbox.finish()
    }

    /// Sends until stopped or cancelled. To be called once.
    public func run() async {
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
    }

    private func forgive() {
        guard hasNewNetwork.exchange(false, ordering: .acquiringAndReleasing) else { return }
        newest.forgive(wall: surroundings.clock.now)
        for queue in turns.keys { turns[queue]?.forgive(wall: surroundings.clock.now) }
    }

    /// The destination's queues.
    private func queues(of destination: any Destination) async throws -> [Queue] {
        guard destination.hasManyServers else { return [Queue(destination: destination.name, enrolment: nil)] }
        return try await database.waitingEnrolments(for: destination.name).map {
            Queue(destination: destination.name, enrolment: $0)
        }
    }

    private func queue(of item: OutboxItem, _ destination: any Destination) -> Queue {
        Queue(destination: destination.name, enrolment: destination.hasManyServers ? item.enrolment : nil)
    }

    /// Sends whatever may be sent now, each queue one item in turn.
    private func drain() async {
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

    /// Sends one item; false when there was none whose time has come.
    private func sendNext(to destination: any Destination, of queue: Queue) async throws -> Bool {
        try await writeUnwritten()
        forgive()
        let turn = turns[queue, default: newest]
        let clock = surroundings.clock
        guard turn.isOpen(at: clock.monotonic),
            let item = try await database.nextItem(
                for: destination.name, of: queue.enrolment, at: clock.now, forgiving: turn.forgiving,
                leastTriedFirst: turn.failures > 0,
                longestWait: policy.longest),
            try await database.startUpload(item.item.id, at: surroundings.stamp(item.enrolment))
        else { return false }
        let ending = await deliver(item, to: destination, queue)
        unwritten = (item, take(ending, of: item, destination))
        try await writeUnwritten()
        return true
    }

    /// Writes a result the store could not take before. Until it is written nothing else is sent.
    private func writeUnwritten() async throws {
        guard let (item, result) = unwritten else { return }
        try await database.finishUpload(item.item.id, result, at: surroundings.stamp(item.enrolment))
        unwritten = nil
    }

    /// Steps until the server's last word, until it makes no more headway, or until something waits that is worth more.
    private func deliver(_ item: OutboxItem, to destination: any Destination, _ queue: Queue) async -> Ending {
        // It was being sent when the agent ended.
        if item.uncertain > 0, !destination.resendsUncertain {
            return .verdict(.uncertain(reason: "it was being sent when the device went off"))
        }
        let witness = (try? await database.witness(of: item.item.id)) ?? nil
        client.standing = witness.map { [WireRequest.Header(name: LogWitness.field, value: $0.text)] } ?? []
        do {
            var job = DeliveryJob(
                item: item, content: try await database.content(of: item), directory: surroundings.recordings,
                location: item.location, offset: nil, compressible: surroundings.compressible)
            var headway = UploadProgress()
            while !stopFlag.isRaised {
                let step = try paced(&job, destination)
                if let ending = ending(step, of: job, destination) { return ending }
                guard headway.allows(step) else { return .verdict(.retry(reason: "the server goes in circles")) }
                try await take(step, into: &job)
                if case .progressed = step, try await isOvertaken(item, in: queue) { return Ending(result: .paused) }
            }
            return .verdict(.retry(reason: "broken off because the agent is stopping"))
        } catch let error as StoreError {
            return .verdict(.refused(reason: "\(error)"))
        } catch let error as TransportError {
            note(portal: error.kind == .portal ? error.message : nil, of: item, destination)
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
    private func ending(_ step: DeliveryStep, of job: DeliveryJob, _ destination: any Destination) -> Ending? {
        switch step {
        case .located, .progressed:
            note(portal: nil, of: job.item, destination)
            return nil
        case .finished(let verdict):
            if case .retry = verdict {} else { note(portal: nil, of: job.item, destination) }
            return .verdict(verdict)
        case .foreign(let reason, let isPortal):
            if isPortal { note(portal: reason, of: job.item, destination) }
            return .verdict(.retry(reason: reason))
        case .later(let reason, let wait):
            note(portal: nil, of: job.item, destination)
            return Ending(result: .verdict(.retry(reason: reason)), plea: wait)
        }
    }

    /// Tells of a log-in page when it comes and when it is gone.
    private func note(portal reason: String?, of item: OutboxItem, _ destination: any Destination) {
        let name = destination.name
        if reason == nil ? portals.remove(name) == nil : !portals.insert(name).inserted { return }
        surroundings.portal(
            name,
            reason.map {
                "a log-in page stands before the server of '\(name)' (\(bounded($0))); nothing is delivered until the device is "
                    + "logged in to its network or has another one"
            })
    }

    /// Whether something of a higher class waits in the same queue.
    private func isOvertaken(_ item: OutboxItem, in queue: Queue) async throws -> Bool {
        let next = try await database.nextItem(
            for: queue.destination, of: queue.enrolment, at: surroundings.clock.now, longestWait: policy.longest)
        return next.map { $0.item.itemClass < item.item.itemClass } ?? false
    }

    private func take(_ step: DeliveryStep, into job: inout DeliveryJob) async throws {
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

    private func take(_ ending: Ending, of item: OutboxItem, _ destination: any Destination) -> UploadResult {
        guard case .verdict(let verdict) = ending.result else { return .paused }
        let clock = surroundings.clock
        let queue = queue(of: item, destination)
        var turn = turns[queue, default: newest]
        defer { turns[queue] = turn }
        let interval = destination.minimumInterval
        switch verdict {
        case .delivered(let receipt):
            turn.succeeded(at: clock.monotonic, wall: clock.now, interval: interval)
            return .delivered(receipt: bounded(receipt))
        case .refused(let reason):
            turn.succeeded(at: clock.monotonic, wall: clock.now, interval: interval)
            return .refused(reason: bounded(reason))
        case .retry(let reason):
            return .failed(reason: bounded(reason), retryAt: retry(item, &turn, interval, plea: ending.plea))
        case .uncertain(let reason):
            let next = retry(item, &turn, interval, plea: ending.plea)
            return .uncertain(reason: bounded(reason), retryAt: destination.resendsUncertain ? next : nil)
        }
    }

    /// When it is tried again.
    private func retry(
        _ item: OutboxItem, _ turn: inout DestinationTurn, _ interval: Duration, plea: Duration
    ) -> Instant {
        let clock = surroundings.clock
        turn.failed(at: clock.monotonic, interval: interval, policy: policy, plea: plea, using: &generator)
        // Not later than retries ever lie ahead: a time beyond that is taken for a wrong clock's.
        return clock.now
            + max(policy.delay(afterFailure: item.attempts + 1, using: &generator), min(plea, policy.longest))
    }

    /// The store refused: the disk may be full. Nothing is sent for a while.
    private func pause(_ destination: any Destination) {
        let own = turns.keys.filter { $0.destination == destination.name }
        for queue in own + [Queue(destination: destination.name, enrolment: nil)] {
            turns[queue, default: newest].failed(
                at: surroundings.clock.monotonic, interval: .seconds(5), policy: policy, using: &generator)
        }
    }

    private func bounded(_ text: String) -> String { String(text.prefix(500)) }

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
        var waits: [Duration] = unwritten == nil ? [] : [.seconds(5)]
        let clock = surroundings.clock
        for destination in destinations {
            for queue in (try? await queues(of: destination)) ?? [] {
                guard let retry = try? await database.nextRetry(for: queue.destination, of: queue.enrolment) else {
                    continue
                }
                let own = min(max(retry - clock.now, .milliseconds(100)), policy.longest)
                let quiet = turns[queue]?.closedUntil.map { $0 - clock.monotonic } ?? .zero
                waits.append(max(own, quiet))
            }
        }
        return waits.min()
    }
}

/// Notices a server that answers for ever without taking anything.
private struct UploadProgress {
    private var furthest: Int64 = -1
    private var idle = 0

    /// Counts steps that brought nothing new; false after ten.
    mutating func allows(_ step: DeliveryStep) -> Bool {
        if case .progressed(let offset?) = step, offset > furthest {
            furthest = offset
            idle = 0
        } else {
            idle += 1
        }
        return idle < 10
    }
}
