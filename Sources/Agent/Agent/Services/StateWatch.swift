// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import Synchronization
import SystemKit

/// Compares the device's state with what it was at the last `look`, writes each change to the journal once, and
/// calls `changed` if there was one. `look` is called by `MaintenanceService` every few seconds and before each
/// report; any thread.
final class StateWatch: Sendable {
    private struct Seen {
        var state: DeviceState?
        var isLooking = false
        /// Another look was asked for while one went on; it follows.
        var isAsked = false
        var isOutboxHeld = false
        var countedOutbox: MonotonicTime?
        /// When each present fault was first seen, by `DeviceState.name`.
        var faults: [String: Instant] = [:]
    }

    private let database: StudyDatabase
    private let view: SharedState
    private let clock: ClockStatus
    private let stamps: EventClock
    private let folder: String
    private let log: Logger
    /// Must return at once.
    private let changed: @Sendable () -> Void
    private let seen = Mutex(Seen())

    /// How often the outbox is counted; between two counts the last result holds.
    private static let countInterval = Duration.seconds(60)
    /// The outbox counts as held up when something was tried and still waits after this long.
    static let patience = Duration.seconds(3600)

    init(
        _ database: StudyDatabase, view: SharedState, clock: ClockStatus, stamps: EventClock, folder: String,
        log: Logger, changed: @escaping @Sendable () -> Void = {}
    ) {
        (self.database, self.view, self.clock, self.stamps) = (database, view, clock, stamps)
        (self.folder, self.log, self.changed) = (folder, log, changed)
    }

    /// Looks once. Called while another look goes on, it returns at once, and that look is repeated.
    func look() async {
        guard beginLook() else { return }
        repeat { await lookOnce() } while continueLooking()
    }

    private func beginLook() -> Bool {
        seen.withLock { seen in
            guard !seen.isLooking else {
                seen.isAsked = true
                return false
            }
            seen.isLooking = true
            return true
        }
    }

    private func continueLooking() -> Bool {
        seen.withLock { seen in
            defer { (seen.isLooking, seen.isAsked) = (seen.isAsked, false) }
            return seen.isAsked
        }
    }

    private func lookOnce() async {
        let faults = view.now.faults.map(DeviceState.name)
        let new = await state(faults: faults)
        let now = stamps.clock.now
        let old = seen.withLock { seen in
            seen.faults = Dictionary(faults.map { ($0, seen.faults[$0] ?? now) }) { first, _ in first }
            defer { seen.state = new }
            return seen.state
        }
        guard old != new else { return }
        for change in new.changes(since: old) { log.record(change) }
        changed()
    }

    /// When that fault began; nil where it is new.
    func start(of fault: Explanation) -> Instant? { seen.withLock { $0.faults[DeviceState.name(of: fault)] } }

    private func state(faults: [String]) async -> DeviceState {
        let (now, opinion) = (view.now, clock.trust.opinion)
        var state = DeviceState()
        state.isClockKnown = opinion.isGood(within: clock.bound)
        state.source = opinion.source.rawValue
        state.faults = Set(faults)
        state.isDiskLow = now.capFault != nil || DiskSpace(at: folder)?.isLow ?? false
        state.isRevoked = now.reports.isBarred
        state.isOutboxHeld = await isOutboxHeld() || !now.portals.isEmpty
        do {
            if let enrolled = try await database.latestEnrolment(), enrolled.withdrawn == nil {
                (state.enrolment, state.study) = (enrolled.record.id, enrolled.record.studyID)
                state.pause = pause(enrolled, now.conductor, isClockKnown: state.isClockKnown)
            }
        } catch {
            // While the store cannot be read, what was known before still holds.
            let known = seen.withLock { $0.state }
            (state.enrolment, state.study, state.pause) = (known?.enrolment, known?.study, known?.pause)
        }
        return state
    }

    private func pause(
        _ enrolled: EnrolmentState, _ conductor: StudyConductor?, isClockKnown: Bool
    ) -> DeviceState.Pause? {
        if !enrolled.arePromptsOn { return .participant }
        if conductor?.scheduler.isPaused == true { return .study }
        return isClockKnown ? nil : .clock
    }

    private func isOutboxHeld() async -> Bool {
        let now = stamps.clock.monotonic
        let isDue = seen.withLock { seen in
            guard seen.countedOutbox.map({ now - $0 >= Self.countInterval }) ?? true else { return false }
            seen.countedOutbox = now
            return true
        }
        guard isDue else { return seen.withLock { $0.isOutboxHeld } }
        // The last result also holds where the store cannot be read.
        guard let backlog = try? await database.backlog() else { return seen.withLock { $0.isOutboxHeld } }
        let isHeld = backlog.isHeld(at: stamps.clock.now, for: Self.patience)
        seen.withLock { $0.isOutboxHeld = isHeld }
        return isHeld
    }
}

extension DiskSpace {
    /// Below what retention keeps free (`AgentRuntime`).
    var isLow: Bool { free < floor }
    /// Bytes that recordings leave free.
    var floor: Int64 { min(256 << 20, total / 20) }
}
