// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study

/// What has to be done every few seconds: feeds systemd's watchdog, looks for damage,
/// keeps the disk cap.
///
/// The watchdog is fed when the store has answered, and loop, recorder and every thread that
/// measures have made progress, each within its own bound (`WatchedThreads`). `RestartRule` decides what
/// follows where one has not.
struct MaintenanceService: Service {
    let database: StudyDatabase
    let stamps: EventClock
    let view: SharedState
    let mailbox: Mailbox
    let systemd: SystemdNotifier
    let keeper: StoreMaintenance
    let retention: RetentionPolicy
    let watch: AgentWatch
    let states: StateWatch
    /// Names of the destinations that need no network (USB sticks): what waits for them does not make the
    /// device count as offline.
    let sticks: [String]
    let log: Logger

    /// Between two rounds of `run`: `pause` while something is measured or the store is scanned for damage,
    /// `rest` while neither is.
    private static let (pause, rest) = (Duration.seconds(5), Duration.seconds(20))
    /// Between two applications of the retention, each followed by a look at the outbox.
    private static let retentionPause = Duration.seconds(60)
    /// The device counts as offline when something has waited this long to be sent to a server.
    private static let offlineAfter = Duration.seconds(86_400)

    func run() async throws {
        systemd.ready()
        await cancelWhenStopped {
            var lastRetention = stamps.clock.monotonic
            var hold = RetentionHold()
            var watch = watch
            // Often enough for the watchdog, even when one round takes long.
            let longest = systemd.watchdog.map { $0 / 3 } ?? Self.rest
            await keeper.runRound()
            await states.look()
            async let _ = keeper.scanAll()
            while !Task.isCancelled {
                let clock = stamps.clock
                let isQuiet = keeper.isResting && view.now.measures.isEmpty
                let pause = min(isQuiet ? Self.rest : Self.pause, longest)
                do { try await clock.sleep(until: clock.monotonic + pause) } catch { return }
                do {
                    if clock.monotonic - lastRetention >= Self.retentionPause {
                        lastRetention = clock.monotonic
                        let policy = hold.update(at: stamps.moment) ? retention.keepingAge : retention
                        try await database.applyRetention(policy, at: stamps.stamp(""))
                        await database.finishErasure(at: stamps.stamp(""))
                        try await lookAtOutbox()
                    }
                } catch {
                    log.error("care", metadata: ["error": "\(error)"])
                }
                await keeper.runRound()
                await states.look()
                let verdict = watch.check(at: stamps.clock.monotonic)
                // Kept before the watchdog, fed no longer, ends this process: the next start reads it.
                if let tried = watch.pending {
                    _ = try? await onThread("studyd-watch") { [watch] in watch.keep(tried) }
                }
                view.change { $0.stuck = verdict.faults }
                mailbox.post(.lookAround)
                if verdict.feeds { systemd.alive() }
            }
        }
        systemd.stopping()
    }

    private func lookAtOutbox() async throws {
        let oldest = try await database.oldestWaiting(besides: sticks)
        let isOffline =
            view.now.anchor?.isTrusted == true && oldest.map { stamps.clock.now - $0 >= Self.offlineAfter } ?? false
        guard isOffline != view.now.isOffline else { return }
        view.change { $0.isOffline = isOffline }
        mailbox.post(.storeChanged)
    }
}

/// Nothing is removed for its age by a clock that may prove wrong: not for a day after it jumped
/// ahead by an hour or more, and not in the first hour of a start, since a jump before it is not
/// known. What has no room is removed regardless. Pure.
struct RetentionHold: Sendable {
    private static let jump = Duration.seconds(3600)
    private static let afterJump = Duration.seconds(86_400)
    private static let afterStart = Duration.seconds(3600)
    private var last: Moment?
    private var until: MonotonicTime?

    /// Looks at both clocks; true while nothing is to be removed for its age.
    mutating func update(at now: Moment) -> Bool {
        if let last {
            let jumped = (now.instant - last.instant) - (now.monotonic - last.monotonic)
            if jumped >= Self.jump { until = now.monotonic + Self.afterJump }
        } else {
            until = now.monotonic + Self.afterStart
        }
        last = now
        return until.map { now.monotonic < $0 } ?? false
    }
}
