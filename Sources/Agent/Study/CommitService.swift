// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import Store
import Times

/// Commits in the order in which the loop decided, and says when they are on the disk. A commit that the disk refuses is
/// tried again until it succeeds: nothing that was decided is forgotten while the agent runs.
struct CommitService: Service {
    struct Batch: Sendable {
        let commit: StudyCommit
        let stamp: EventStamp
    }

    let database: StudyDatabase
    let mailbox: Mailbox
    let clock: any StudyClock
    let log: Logger
    /// Told that the outbox grew.
    let wakeUploader: @Sendable () -> Void
    private let queue: AsyncStream<Batch>
    private let continuation: AsyncStream<Batch>.Continuation

    init(
        database: StudyDatabase, mailbox: Mailbox, clock: any StudyClock, log: Logger,
        wakeUploader: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.mailbox = mailbox
        self.clock = clock
        self.log = log
        self.wakeUploader = wakeUploader
        (queue, continuation) = AsyncStream.makeStream(of: Batch.self, bufferingPolicy: .bufferingOldest(65_536))
    }

    /// Queues a commit; never blocks.
    func commit(_ commit: StudyCommit, at stamp: EventStamp) {
        if !commit.isEmpty { continuation.yield(Batch(commit: commit, stamp: stamp)) }
    }

    /// Ends `run()` once everything queued is on the disk.
    func finish() { continuation.finish() }

    func run() async throws {
        for await batch in queue {
            var failed = false
            while true {
                do {
                    try await database.append(batch.commit.events, sending: batch.commit.drafts, at: batch.stamp)
                    break
                } catch let error as StoreError {
                    // A row the log refuses would be refused again; what it was is in the journal.
                    log.critical(
                        "the log refused a commit", metadata: ["error": "\(error)", "events": "\(batch.commit.events)"])
                    break
                } catch {
                    failed = true
                    log.error("cannot commit", metadata: ["error": "\(error)"])
                    mailbox.post(.fault("The device cannot store"))
                    do { try await clock.sleep(until: clock.monotonic + .seconds(2)) } catch { return }
                }
            }
            if failed { mailbox.post(.fault(nil)) }
            if !batch.commit.drafts.isEmpty { wakeUploader() }
            mailbox.post(.committed(batch.commit.hasSubmission))
        }
    }
}
