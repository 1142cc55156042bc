// SPDX-License-Identifier: Apache-2.0
import AgentCore
import Database
import Logging
import ServiceLifecycle
import Store
import StudyEngine
import StudyModel
import Times

/// Commits in the order in which the loop decided, and says when they are on the disk.
///
/// A commit that the disk refuses is tried again until it succeeds. One that the store itself refuses is a fault of the
/// program and would be refused for ever: it is taken apart, the rows that are in order are kept, and a fault row stands in
/// the place of each that is not. So nothing that was decided is forgotten in silence while the agent runs.
struct CommitService: Service {
    struct Batch: Sendable {
        let commit: StudyCommit
        let stamp: EventStamp
        /// Told when everything before it is on the disk; an empty commit.
        var reached: (@Sendable () -> Void)?
    }

    /// Between two tries on a disk that refuses.
    static let pause: Duration = .seconds(2)
    /// Writes rows and items in one transaction.
    typealias Append = @Sendable ([StudyEvent], [OutboxDraft], EventStamp) async throws -> Void

    let append: Append
    /// nil = result trees are not kept.
    var results: ResultFolder?
    let mailbox: Mailbox
    let clock: any StudyClock
    let log: Logger
    /// Told that the store is damaged, and why; returns when it is as good as it gets.
    let repair: @Sendable (String) async -> Void
    /// Told that the disk is full; returns when there is as much room as can be made.
    let makeRoom: @Sendable () async -> Void
    /// Told that the outbox grew.
    let wakeUploader: @Sendable () -> Void
    private let queue: AsyncStream<Batch>
    private let continuation: AsyncStream<Batch>.Continuation

    init(
        database: StudyDatabase, mailbox: Mailbox, clock: any StudyClock, log: Logger, results: ResultFolder? = nil,
        repair: @escaping @Sendable (String) async -> Void = { _ in },
        makeRoom: @escaping @Sendable () async -> Void = {}, wakeUploader: @escaping @Sendable () -> Void
    ) {
        self.init(
            mailbox: mailbox, clock: clock, log: log, repair: repair, makeRoom: makeRoom, wakeUploader: wakeUploader
        ) {
            try await database.append($0, sending: $1, at: $2)
        }
        self.results = results
    }

    init(
        mailbox: Mailbox, clock: any StudyClock, log: Logger,
        repair: @escaping @Sendable (String) async -> Void = { _ in },
        makeRoom: @escaping @Sendable () async -> Void = {}, wakeUploader: @escaping @Sendable () -> Void,
        append: @escaping Append
    ) {
        self.repair = repair
        self.makeRoom = makeRoom
        self.append = append
        self.mailbox = mailbox
        self.clock = clock
        self.log = log
        self.wakeUploader = wakeUploader
        (queue, continuation) = AsyncStream.makeStream(of: Batch.self, bufferingPolicy: .bufferingOldest(65_536))
    }

    /// Queues a commit; never blocks. What finds the queue full (a disk that has refused for hours) is lost; the journal says what kinds it was.
    func commit(_ commit: StudyCommit, at stamp: EventStamp) {
        guard !commit.isEmpty else { return }
        guard case .enqueued = continuation.yield(Batch(commit: commit, stamp: stamp)) else {
            return log.critical("a commit was lost", metadata: ["events": "\(Self.kinds(commit.events))"])
        }
    }

    /// Returns when everything queued so far is on the disk, or the service has ended.
    func drained() async {
        await withCheckedContinuation { done in
            let mark = EventStamp(
                wall: clock.now, monotonic: clock.monotonic, bootID: "", zoneOffset: 0, enrolment: "")
            let batch = Batch(commit: StudyCommit(), stamp: mark) { done.resume() }
            guard case .enqueued = continuation.yield(batch) else { return done.resume() }
        }
    }

    /// Ends `run()` once everything queued is on the disk.
    func finish() { continuation.finish() }

    func run() async throws {
        await work()
        // The queue ends when the loop does, which is before this service's own turn to end.
        try? await gracefulShutdown()
    }

    /// Commits until the queue is finished and empty.
    func work() async {
        for await batch in queue {
            if let reached = batch.reached {
                reached()
                continue
            }
            let faults = await keep(batch.commit.results)
            guard let isWhole = await keep(batch, faults) else { return await abandon() }
            if !batch.commit.drafts.isEmpty { wakeUploader() }
            if isWhole {
                mailbox.post(.committed(batch.commit.hasSubmission))
            } else {
                mailbox.post(.fault(FaultPhrases.notAllStored.text(in: .english)))
            }
        }
    }

    /// Nobody waits for what will not be stored any more.
    private func abandon() async {
        continuation.finish()
        for await batch in queue { batch.reached?() }
    }

    /// The answers themselves are in the store: a tree that cannot be written is a fault, and keeps nothing waiting.
    private func keep(_ entries: [ResultEntry]) async -> [StudyEvent] {
        guard let results, !entries.isEmpty else { return [] }
        return
            (try? await onThread("studyd-result") {
                entries.compactMap { entry -> StudyEvent? in
                    do { try results.keep(entry) } catch {
                        return .fault(place: "results", message: "\(entry.name) cannot be kept: \(error)")
                    }
                    return nil
                }
            }) ?? []
    }

    /// True when all of it is on the disk, false when only what the store took; nil when the agent was ended before.
    private func keep(_ batch: Batch, _ faults: [StudyEvent]) async -> Bool? {
        switch await store(batch.commit.events + faults, batch.commit.drafts, batch.stamp) {
        case .stored: return true
        case .ended: return nil
        case .refused: return await keepApart(batch) ? false : nil
        }
    }

    /// Row by row and item by item; false when the agent was ended before.
    private func keepApart(_ batch: Batch) async -> Bool {
        for event in batch.commit.events {
            guard await keep([event], [], event.kind, batch.stamp) else { return false }
        }
        for draft in batch.commit.drafts {
            guard await keep([], [draft], "item \(draft.origin)", batch.stamp) else { return false }
        }
        return true
    }

    private func keep(_ events: [StudyEvent], _ drafts: [OutboxDraft], _ what: String, _ stamp: EventStamp) async
        -> Bool
    {
        switch await store(events, drafts, stamp) {
        case .stored: return true
        case .ended: return false
        case .refused(let reason):
            let fault = StudyEvent.fault(place: "store", message: "refused \(what): \(reason)")
            if case .ended = await store([fault], [], stamp) { return false }
            return true
        }
    }

    private enum Ending {
        case stored, ended
        case refused(String)
    }

    /// One transaction, tried until the disk takes it or the store says that it never will.
    private func store(_ events: [StudyEvent], _ drafts: [OutboxDraft], _ stamp: EventStamp) async -> Ending {
        var hasFailed = false
        while true {
            do {
                try await append(events, drafts, stamp)
                if hasFailed { mailbox.post(.fault(nil)) }
                return .stored
            } catch  where Self.mayPass(error) {
                log.error("cannot commit", metadata: ["error": "\(error)"])
                // Told once: each telling is a row that wants to be committed too.
                if !hasFailed { mailbox.post(.fault(FaultPhrases.cannotStore.text(in: .english))) }
                hasFailed = true
                switch (error as? DatabaseError)?.kind {
                case .corrupt: await repair("\(error)")
                case .diskFull: await makeRoom()
                default: break
                }
                do { try await clock.sleep(until: clock.monotonic + Self.pause) } catch { return .ended }
            } catch {
                log.critical("the store refused", metadata: ["error": "\(error)", "events": "\(Self.kinds(events))"])
                if hasFailed { mailbox.post(.fault(nil)) }
                return .refused("\(error)")
            }
        }
    }

    /// What happened, not what was answered: the journal is read by others, and kept by its own rules.
    private static func kinds(_ events: [StudyEvent]) -> String { events.map(\.kind).joined(separator: " ") }

    /// The disk may take later what it refuses now; what breaks a rule of the store breaks it again.
    private static func mayPass(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return switch error.kind {
        case .diskFull, .inputOutput, .corrupt, .busy, .cannotOpen: true
        case .constraint, .type, .other: false
        }
    }
}
