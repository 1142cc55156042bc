// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization

/// What the loop decided and the disk does not have yet, in order. Any thread adds; `CommitService` takes out, in groups.
///
/// Each group is one flush of the flash, and most events are edges of buttons: alone they wait
/// until something is decided that the participant or a server will see, or until `patience` is
/// over.
final class CommitQueue: Sendable {
    /// What was decided at one moment, committed together.
    struct Batch: Sendable {
        let commit: StudyCommit
        let stamp: EventStamp
        /// Called when every batch before this one is on the disk, or the agent ends; only with an empty commit.
        var reached: (@Sendable () -> Void)?

        /// Neither the participant nor a server sees anything of it.
        fileprivate var mayWait: Bool {
            reached == nil && commit.drafts.isEmpty && commit.results.isEmpty && commit.files.isEmpty
                && commit.events.allSatisfy(\.isEdge)
        }
    }

    private struct State {
        var batches: [Batch] = []
        var isFinished = false
        var isDue = false
        var timer: Task<Void, Never>?

        var isReady: Bool { isFinished || !batches.isEmpty && (isDue || batches.contains { !$0.mayWait }) }
    }

    /// How long edges of buttons wait to be committed.
    static let patience: Duration = .seconds(2)
    /// The most batches in the queue, and the most in one transaction.
    private static let (capacity, largestGroup) = (65_536, 512)

    private let state = Mutex(State())
    private let clock: any StudyClock
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init(clock: any StudyClock) {
        self.clock = clock
        (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// False when it is full or at its end: the batch is not in it.
    func add(_ batch: Batch) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isFinished, state.batches.count < Self.capacity else { return false }
            state.batches.append(batch)
            if batch.mayWait, state.timer == nil { state.timer = timer() }
            return true
        }
        waker.yield()
        return isAdded
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        waker.yield()
    }

    /// What is to be written next, in one transaction; nil at the end. Waits.
    func next() async -> [Batch]? {
        while true {
            let (group, isEnd) = state.withLock { state -> ([Batch], Bool) in
                guard state.isReady else { return ([], false) }
                let group = Array(state.batches.prefix(Self.largestGroup))
                state.batches.removeFirst(group.count)
                if state.batches.isEmpty {
                    state.timer?.cancel()
                    (state.timer, state.isDue) = (nil, false)
                }
                return (group, group.isEmpty)
            }
            if isEnd { return nil }
            if !group.isEmpty { return group }
            // Ends without a wake when the task is cancelled.
            guard await wakes.first(where: { _ in true }) != nil else { return nil }
        }
    }

    private func timer() -> Task<Void, Never> {
        Task(executorPreference: TaskThread.current) { [weak self, clock, deadline = clock.monotonic + Self.patience] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            self?.becomeDue()
        }
    }

    private func becomeDue() {
        state.withLock { $0.isDue = true }
        waker.yield()
    }
}

extension StudyEvent {
    /// A button went down or up, and nothing was made of it yet.
    var isEdge: Bool {
        switch self {
        case .pressed, .released: true
        default: false
        }
    }
}
