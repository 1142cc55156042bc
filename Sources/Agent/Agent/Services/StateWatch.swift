// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import Synchronization
import SystemKit

/// Checks how the device is doing each time the agent looks after itself, writes each change of its
/// state to the journal once, and reports that there was one.
final class StateWatch: Sendable {
    private struct Seen {
        var state: DeviceState?
        var isLooking = false
        /// Asked while another look went on.
        var isAsked = false
        var isOutboxHeld = false
        var countedOutbox: MonotonicTime?
        /// When a fault was first seen.
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

    /// How often the outbox is counted.
    private static let count = Duration.seconds(60)
    /// What was tried and still waits after this long is held up.
    static let patience = Duration.seconds(3600)

    init(
        _ database: StudyDatabase, view: SharedState, clock: ClockStatus, stamps: EventClock, folder: String,
        log: Logger, changed: @escaping @Sendable () -> Void = {}
    ) {
        self.database = database
        self.view = view
        self.clock = clock
        self.stamps = stamps
        self.folder = folder
        self.log = log
        self.changed = changed
    }

    /// One look at a time: what is asked for meanwhile follows.
    func look() async {
        guard beginLook() else { return }
        repeat { await lookOnce() } while continueLooking()
    }

    /// False while another look goes on, which then looks once more.
    private func beginLook() -> Bool {
        seen.withLock { seen in
            defer { (seen.isAsked, seen.isLooking) = (seen.isLooking, true) }
            return !seen.isLooking
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

    /// Since when that fault has been seen; nil where it is new.
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
            // A store that cannot be read for a moment changes nothing of what is known.
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
            guard seen.countedOutbox.map({ now - $0 >= Self.count }) ?? true else { return false }
            seen.countedOutbox = now
            return true
        }
        guard isDue else { return seen.withLock { $0.isOutboxHeld } }
        // A store that cannot be read for a moment changes nothing of what is known.
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
