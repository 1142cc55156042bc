// SPDX-License-Identifier: Apache-2.0
import Logging
import Store
import Synchronization
import Times

/// Keeps the store whole: looks for damage a few rows at a time, has what is damaged set aside and salvaged while everything else goes on, and writes a
/// store that had to be in memory to the disk as soon as that takes it. Whatever it meets is told to people.
final class StoreMaintenance: Sendable {
    private let database: StudyDatabase
    private let retention: RetentionPolicy
    private let stamps: EventClock
    private let view: SharedState
    private let mailbox: Mailbox
    private let systemd: SystemdNotifier
    private let log: Logger
    private let state = Mutex(State())

    private struct State {
        var rounds = 0
        var restsUntil: MonotonicTime?
        var repaired: MonotonicTime?
        var isRepairing = false
        var madeRoom: MonotonicTime?
        var headFault: String?
    }

    /// A start looks at some thousand rows within its first minute; later a row costs next to nothing.
    private static let firstRounds = 12
    private static let (quick, slow) = (512, 8)
    /// A step looks at one table; a small store is seen as a whole at once.
    private static let quickSteps = 24
    /// From the end of one look at everything to the beginning of the next.
    private static let rest = Duration.seconds(3600)
    /// So long rows wait for a flush that no commit takes along: edges of buttons, receipts that can be had again.
    private static let patience = Duration.seconds(20)
    /// A disk that damages one store after the other is not worth more.
    private static let leastPause = Duration.seconds(60)

    init(
        _ database: StudyDatabase, retention: RetentionPolicy, stamps: EventClock, view: SharedState, mailbox: Mailbox,
        systemd: SystemdNotifier,
        log: Logger
    ) {
        self.database = database
        self.retention = retention
        self.stamps = stamps
        self.view = view
        self.mailbox = mailbox
        self.systemd = systemd
        self.log = log
    }

    /// Tells what the store was found like.
    func begin() async {
        if let found = database.foundDamage { report(found) }
        await reportVolatile()
    }

    /// Nothing is looked for at the moment: what there is was seen as a whole.
    var isResting: Bool { state.withLock { $0.restsUntil.map { stamps.clock.monotonic < $0 } ?? false } }

    /// One look, every few seconds.
    func care() async {
        let now = stamps.clock.monotonic
        let condition = await database.condition(flushingAfter: Self.patience, at: now)
        if condition.volatile != nil {
            _ = try? await database.settle()
            await reportVolatile()
            return
        }
        report(condition)
        let (budget, steps): (Int, Int) = state.withLock { state in
            if let rest = state.restsUntil, now < rest { return (0, 0) }
            state.restsUntil = nil
            state.rounds += 1
            return state.rounds <= Self.firstRounds ? (Self.quick, Self.quickSteps) : (Self.slow, 1)
        }
        for _ in 0..<steps {
            let (problem, isRoundOver) = await database.scanForDamage(budget)
            if let problem { return await repair(problem) }
            guard isRoundOver else { continue }
            return state.withLock { $0.restsUntil = now + Self.rest }
        }
    }

    /// A commit found the disk full: what may go goes at once, and not at the next look of the retention.
    func makeRoom() async {
        let now = stamps.clock.monotonic
        let mayBegin = state.withLock { state in
            guard state.madeRoom.map({ now - $0 >= Self.leastPause / 6 }) ?? true else { return false }
            state.madeRoom = now
            return true
        }
        if mayBegin { await database.makeRoom(retention, at: stamps.stamp("")) }
    }

    /// Has the store set aside and salvaged, unless that was done just now.
    func repair(_ cause: String) async {
        let now = stamps.clock.monotonic
        let mayBegin = state.withLock { state in
            guard !state.isRepairing, state.repaired.map({ now - $0 >= Self.leastPause }) ?? true else { return false }
            (state.isRepairing, state.restsUntil) = (true, nil)
            return true
        }
        guard mayBegin else { return }
        log.critical("the store is damaged; salvaging what can be read", metadata: ["cause": "\(cause)"])
        // Whoever waits for the store makes no progress meanwhile, and is not to be blamed for it.
        let feeding = Task(executorPreference: TaskThread.current) { [systemd, clock = stamps.clock] in
            let period = systemd.watchdog.map { $0 / 3 } ?? .seconds(20)
            while !Task.isCancelled {
                systemd.alive()
                do { try await clock.sleep(until: clock.monotonic + period) } catch { return }
            }
        }
        defer { feeding.cancel() }
        do {
            if let record = try await database.repair(cause, at: stamps.stamp("")) { report(record) }
        } catch {
            log.critical("the store cannot be salvaged", metadata: ["error": "\(error)"])
            view.change { $0.storeDamage = "the store is damaged (\(cause)) and cannot be salvaged: \(error)" }
            mailbox.post(.storeChanged)
        }
        await reportVolatile()
        state.withLock { ($0.isRepairing, $0.repaired) = (false, now) }
    }

    private func report(_ record: SalvageRecord) {
        log.critical("the store was damaged", metadata: ["what": "\(record.words)"])
        view.change { $0.storeDamage = record.words }
        mailbox.post(.storeChanged)
    }

    private func reportVolatile() async {
        let reason = await database.volatile
        guard reason != view.now.storeVolatile else { return }
        if let reason { log.critical("the store is in memory only", metadata: ["why": "\(reason)"]) }
        view.change { $0.storeVolatile = reason }
        mailbox.post(.storeChanged)
    }

    private func report(_ condition: StoreCondition) {
        if let fault = condition.flushFault { log.error("store", metadata: ["fault": "\(fault)"]) }
        let fault = condition.headFault
        let isNew = state.withLock { state in
            defer { state.headFault = fault }
            return state.headFault != fault
        }
        guard isNew else { return }
        if let fault { log.error("store", metadata: ["fault": "\(fault)"]) }
        view.change { $0.headFault = fault }
    }
}
