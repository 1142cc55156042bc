// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Logging
import Study

/// Commits in the order in which the loop decided, and says when they are on the disk.
///
/// A commit that the disk refuses is tried again until it succeeds. One that the store itself
/// refuses is a fault of the program and would be refused for ever: it is taken apart, the valid
/// rows are kept, and a fault row replaces each of the others. So no decision is dropped in silence
/// while the agent runs.
struct CommitService: Service {
    typealias Batch = CommitQueue.Batch

    /// Between two tries on a disk that refuses.
    static let pause: Duration = .seconds(2)
    typealias Append = @Sendable ([StoreEntry]) async throws -> Void

    private let append: Append
    /// nil = result trees are not kept.
    private let results: ResultFolder?
    private let packer: RequestPacker
    private let mailbox: Mailbox
    private let clock: any StudyClock
    private let log: Logger
    /// Called when the store is damaged, with the reason; returns when it is repaired as far as
    /// possible.
    private let repair: @Sendable (String) async -> Void
    /// Called when the disk is full; returns when there is as much room as can be made.
    private let makeRoom: @Sendable () async -> Void
    let wakeUploader: @Sendable () -> Void
    private let queue: CommitQueue
    private let refusals: RefusalJournal

    init(
        mailbox: Mailbox, clock: any StudyClock, log: Logger, results: ResultFolder? = nil,
        packer: RequestPacker = RequestPacker(folder: nil),
        repair: @escaping @Sendable (String) async -> Void = { _ in },
        makeRoom: @escaping @Sendable () async -> Void = {}, wakeUploader: @escaping @Sendable () -> Void,
        append: @escaping Append
    ) {
        (self.mailbox, self.clock, self.log) = (mailbox, clock, log)
        (self.results, self.packer, self.repair) = (results, packer, repair)
        (self.makeRoom, self.wakeUploader, self.append) = (makeRoom, wakeUploader, append)
        queue = CommitQueue(clock: clock)
        refusals = RefusalJournal(log)
    }

    static func appending(to database: StudyDatabase) -> Append {
        return {
            // Edges of buttons are not shown to anyone; the next commit takes them along, or the
            // agent's own look every few seconds.
            let isUrgent = !$0.allSatisfy { $0.drafts.isEmpty && $0.events.allSatisfy(\.isEdge) }
            try await database.append($0, flushing: isUrgent)
        }
    }

    /// Queues a commit; never blocks. What finds the queue full (a disk that has refused for hours)
    /// is lost; the journal says what kinds it was.
    func commit(_ commit: StudyCommit, at stamp: EventStamp) {
        guard !commit.isEmpty else { return }
        guard queue.add(Batch(commit: commit, stamp: stamp)) else {
            return log.critical("a commit was lost", metadata: ["events": "\(Self.kinds(commit.events))"])
        }
    }

    /// Returns when everything queued so far is on the disk; at once where the service has ended, or
    /// the disk has refused for so long that the queue is full.
    func waitUntilDrained() async {
        await withCheckedContinuation { done in
            let mark = EventStamp(
                wall: clock.now, monotonic: clock.monotonic, bootID: "", zoneOffset: 0, enrolment: "")
            let batch = Batch(commit: StudyCommit(), stamp: mark) { done.resume() }
            if !queue.add(batch) { done.resume() }
        }
    }

    /// Removes the result trees of that enrolment, also those that are queued still.
    func removeResults(of enrolment: String) async {
        await waitUntilDrained()
        results?.remove(of: enrolment)
    }

    /// Ends `run()` once everything queued is on the disk.
    func finish() { queue.finish() }

    func run() async throws {
        await work()
        // The queue ends when the loop does, which is before this service's own turn to end.
        await stopRequested()
    }

    /// Commits until the queue is finished and empty.
    func work() async {
        while let group = await queue.next() {
            do { try await write(group) } catch {
                queue.finish()
                return await abandon(group)
            }
            for batch in group { batch.reached?() }
        }
    }

    /// The agent ends before the disk takes what is left: the journal says what it was, and nothing
    /// waits for it any more.
    private func abandon(_ group: [Batch]) async {
        var group = group
        repeat {
            let events = group.flatMap(\.commit.events)
            if !events.isEmpty {
                log.critical("not stored before the end", metadata: ["events": "\(Self.kinds(events))"])
            }
            for batch in group { batch.reached?() }
            group = await queue.next() ?? []
        } while !group.isEmpty
    }

    // MARK: - Writing; throws where the agent ended while the disk refused

    /// One transaction, and one for each batch where the store refuses one of them.
    private func write(_ group: [Batch]) async throws {
        let batches = group.filter { $0.reached == nil }
        guard !batches.isEmpty else { return }
        var entries: [StoreEntry] = []
        for batch in batches {
            let (drafts, faults) = await packed(batch.commit.drafts)
            let events = batch.commit.events + (await writeResults(batch.commit.results)) + faults
            entries.append(StoreEntry(events: events, drafts: drafts, stamp: batch.stamp))
        }
        if try await store(entries) == nil {
            for batch in batches { report(batch, isWhole: true) }
            return
        }
        for (batch, entry) in zip(batches, entries) {
            report(batch, isWhole: try await write(entry, isAlone: batches.count == 1))
        }
    }

    private func report(_ batch: Batch, isWhole: Bool) {
        // Nothing is sent before the row of the start is written (`StudyDatabase.hasStarted`).
        let isStart = batch.commit.events.contains { if case .agentStarted = $0 { true } else { false } }
        if isStart || !batch.commit.drafts.isEmpty { wakeUploader() }
        mailbox.post(
            isWhole
                ? .committed(batch.commit.submissions) : .fault(FaultPhrases.notAllStored.text(in: .english)))
    }

    /// The answers themselves are in the store: a tree that cannot be written is a fault, and keeps
    /// nothing waiting.
    private func writeResults(_ entries: [ResultEntry]) async -> [StudyEvent] {
        guard let results, !entries.isEmpty else { return [] }
        let work: @Sendable () -> [StudyEvent] = {
            entries.compactMap { entry -> StudyEvent? in
                do { try results.keep(entry) } catch {
                    return .fault(place: "results", message: "\(entry.name) cannot be stored: \(error)")
                }
                return nil
            }
        }
        // Where no thread can be had, here: rather late than not.
        return (try? await onThread("studyd-result", work)) ?? work()
    }

    /// False when only what the store took is on the disk. `isAlone`: it was refused by itself already.
    private func write(_ entry: StoreEntry, isAlone: Bool) async throws -> Bool {
        if !isAlone, try await store([entry]) == nil { return true }
        for event in entry.events {
            try await writePart(StoreEntry(events: [event], stamp: entry.stamp), event.kind)
        }
        for draft in entry.drafts {
            try await writePart(
                StoreEntry(events: [], drafts: [draft], stamp: entry.stamp), "item \(draft.origin)")
        }
        return false
    }

    /// What recorders wrote goes into the requests that carry it: here, where the disk may be
    /// waited for, and once.
    private func packed(_ drafts: [OutboxDraft]) async -> (drafts: [OutboxDraft], faults: [StudyEvent]) {
        guard RequestPacker.isNeeded(for: drafts) else { return (drafts, []) }
        return (try? await onThread("studyd-pack") { [packer] in packer.packed(drafts) }) ?? packer.packed(drafts)
    }

    /// One row or item; where the store refuses it, a fault row in its place.
    private func writePart(_ part: StoreEntry, _ what: String) async throws {
        guard let reason = try await store([part]) else { return }
        let fault = StudyEvent.fault(place: "store", message: "refused \(what): \(reason)")
        _ = try await store([StoreEntry(events: [fault], stamp: part.stamp)])
    }

    /// One transaction, tried until the disk takes it. Returns why the store will never take it; nil = it is stored.
    private func store(_ entries: [StoreEntry]) async throws -> String? {
        var hasFailed = false
        while true {
            do {
                try await append(entries)
                if hasFailed {
                    refusals.logRecovery()
                    mailbox.post(.fault(nil))
                }
                return nil
            } catch  where Self.isTemporary(error) {
                refusals.logRefusal(error, at: clock.monotonic)
                // Once only: each report is a row that has to be committed too.
                if !hasFailed { mailbox.post(.fault(Self.fault(error))) }
                hasFailed = true
                switch (error as? DatabaseError)?.kind {
                case .corrupt: await repair("\(error)")
                case .diskFull: await makeRoom()
                default: break
                }
                try await clock.sleep(until: clock.monotonic + Self.pause)
            } catch {
                log.critical(
                    "the store refused",
                    metadata: ["error": "\(error)", "events": "\(Self.kinds(entries.flatMap(\.events)))"])
                if hasFailed { mailbox.post(.fault(nil)) }
                return "\(error)"
            }
        }
    }

    /// The participant hears the phrase alone.
    private static func fault(_ error: any Error) -> String {
        let phrase = FaultPhrases.cannotStore.text(in: .english)
        return Explanation(cause: phrase, remedy: Explanation(error).remedy).description
    }

    /// What happened, not what was answered: the journal is read by others, and kept
    /// by its own rules.
    private static func kinds(_ events: [StudyEvent]) -> String { events.map(\.kind).joined(separator: " ") }

    /// The disk may take it later; what breaks a rule of the store breaks it again.
    private static func isTemporary(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return switch error.kind {
        case .diskFull, .inputOutput, .corrupt, .busy, .cannotOpen: true
        case .constraint, .type, .other: false
        }
    }
}
