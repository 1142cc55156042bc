// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import Synchronization

/// Keeps the store whole: looks for damage a few rows at a time, has what is damaged set aside and
/// salvaged while everything else goes on, and writes a store that had to be in memory to the disk
/// as soon as that is possible. It reports whatever it finds. `begin` comes first, then `runRound` every few
/// seconds, beside one `scanAll`; any thread.
///
/// A start looks at everything once, at a quarter of the store's time and without holding up a
/// commit for longer than one step; after that a row costs next to nothing (docs/bench.md,
/// processor at rest).
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
        /// The first look at everything has ended, or found something.
        var hasLooked = false
        /// When the next look at everything begins; nil while one is due or under way.
        var restsUntil: MonotonicTime?
        var repaired: MonotonicTime?
        var isRepairing = false
        var madeRoom: MonotonicTime?
        /// What was reported last: the head's fault and the cap's.
        var faults: [String?] = []
    }

    /// Rows of one step of the first look, and of one step of every later look.
    private static let (firstLookRows, laterRows) = (512, 32)
    /// What a start has to do before anything is looked through: reading, and beginning to measure.
    private static let settling = Duration.seconds(3)
    /// The first look rests this many times as long as its step took.
    private static let restPerStep = 3
    /// From the end of one look at everything to the beginning of the next.
    private static let rest = Duration.seconds(3600)
    /// Rows written without a flush (edges of buttons, receipts that the server would give again) are flushed
    /// after this long, if no other commit has flushed them.
    private static let patience = Duration.seconds(20)
    /// From the end of one salvage to the next, at least: a disk may damage one store after another.
    private static let salvagePause = Duration.seconds(60)
    private static let roomPause = Duration.seconds(10)

    init(
        _ database: StudyDatabase, retention: RetentionPolicy, stamps: EventClock, view: SharedState, mailbox: Mailbox,
        systemd: SystemdNotifier, log: Logger
    ) {
        (self.database, self.retention, self.stamps, self.view) = (database, retention, stamps, view)
        (self.mailbox, self.systemd, self.log) = (mailbox, systemd, log)
    }

    /// Reports the damage that was found when the store was opened.
    func begin() async {
        if let found = database.foundDamage { report(found) }
        await reportVolatile()
    }

    /// The last look at everything is over, and the next is not due yet.
    var isResting: Bool { state.withLock { $0.restsUntil.map { stamps.clock.monotonic < $0 } ?? false } }

    /// To be called every few seconds: flushes rows that have waited, moves a store in memory to the disk, checks the
    /// files, and looks at the next few rows.
    func runRound() async {
        let now = stamps.clock.monotonic
        let condition = await database.condition(flushingAfter: Self.patience, at: now)
        if condition.memoryOnlyReason != nil {
            // The store on the disk could not be used, and was left as it is while this one was in memory.
            let wasLeft = await database.leavesFile
            do { _ = try await database.moveToDisk(at: stamps.stamp("")) } catch {
                log.error("store", metadata: ["fault": "\(error)"])
            }
            await reportVolatile()
            if wasLeft, await !database.leavesFile { mailbox.post(.storeReturned) }
            return
        }
        report(condition)
        if let problem = await database.checkFiles(at: stamps.stamp("")) { return await repair(problem) }
        let isResting = state.withLock { state in
            if !state.hasLooked { return true }
            if let rest = state.restsUntil, now < rest { return true }
            state.restsUntil = nil
            return false
        }
        if !isResting { _ = await scan(Self.laterRows) }
    }

    /// The first look at everything, beside whatever else the store does. Returns when it is
    /// over or cancelled.
    func scanAll() async {
        let clock = stamps.clock
        defer { state.withLock { $0.hasLooked = true } }
        do {
            try await clock.sleep(until: clock.monotonic + Self.settling)
            var began = clock.monotonic
            while await scan(Self.firstLookRows) {
                let now = clock.monotonic
                try await clock.sleep(until: now + max((now - began) * Self.restPerStep, .milliseconds(1)))
                began = clock.monotonic
            }
        } catch { return }
    }

    /// Looks at the next `budget` rows; false when they were the last, or when damage was found, which it has
    /// repaired.
    private func scan(_ budget: Int) async -> Bool {
        let (problem, isRoundOver) = await database.scanForDamage(budget)
        if let problem {
            await repair(problem)
            return false
        }
        if isRoundOver { state.withLock { $0.restsUntil = stamps.clock.monotonic + Self.rest } }
        return !isRoundOver
    }

    /// A commit found the disk full: what may go goes at once, and not at the next look
    /// of the retention.
    func makeRoom() async {
        let now = stamps.clock.monotonic
        let mayBegin = state.withLock { state in
            guard state.madeRoom.map({ now - $0 >= Self.roomPause }) ?? true else { return false }
            state.madeRoom = now
            return true
        }
        if mayBegin { await database.makeRoom(retention, at: stamps.stamp("")) }
    }

    /// Has the store set aside and salvaged, unless that was done just now.
    func repair(_ cause: String) async {
        let now = stamps.clock.monotonic
        let mayBegin = state.withLock { state in
            guard !state.isRepairing, state.repaired.map({ now - $0 >= Self.salvagePause }) ?? true else {
                return false
            }
            (state.isRepairing, state.restsUntil) = (true, nil)
            return true
        }
        guard mayBegin else { return }
        log.critical("the store is damaged; salvaging what can be read", metadata: ["cause": "\(cause)"])
        // Threads that wait for the store make no progress meanwhile: the watchdog is fed here, so that it
        // does not end the process for that.
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
            let words = "the store is damaged (\(cause)) and cannot be salvaged: \(error)"
            view.change { ($0.storeDamage, $0.isStoreOfOtherVersion) = (words, false) }
            mailbox.post(.storeChanged)
        }
        await reportVolatile()
        state.withLock { ($0.isRepairing, $0.repaired) = (false, stamps.clock.monotonic) }
    }

    private func report(_ record: SalvageRecord) {
        let what = record.isOtherVersion ? "the store is of another version" : "the store was damaged"
        log.critical("\(what)", metadata: ["what": "\(record.words)"])
        view.change { ($0.storeDamage, $0.isStoreOfOtherVersion) = (record.words, record.isOtherVersion) }
        mailbox.post(.storeChanged)
    }

    private func reportVolatile() async {
        let reason = await database.memoryOnlyReason
        guard reason != view.now.storeVolatile else { return }
        if let reason { log.critical("the store is in memory only", metadata: ["why": "\(reason)"]) }
        view.change { $0.storeVolatile = reason }
        mailbox.post(.storeChanged)
    }

    private func report(_ condition: StoreCondition) {
        if let fault = condition.flushFault { log.error("store", metadata: ["fault": "\(fault)"]) }
        let faults = [condition.headFault, condition.capFault]
        let isNew = state.withLock { state in
            defer { state.faults = faults }
            return state.faults != faults
        }
        guard isNew else { return }
        for fault in faults.compactMap(\.self) { log.error("store", metadata: ["fault": "\(fault)"]) }
        view.change { ($0.headFault, $0.capFault) = (condition.headFault, condition.capFault) }
        mailbox.post(.storeChanged)
    }
}
