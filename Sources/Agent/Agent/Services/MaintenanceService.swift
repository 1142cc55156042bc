// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study

/// What has to be done every few seconds while the agent runs: feeds systemd's watchdog, looks for damage of the store,
/// keeps the disk cap, and has the loop look around.
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
    let storeMaintenance: StoreMaintenance
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
            let clock = stamps.clock
            var nextRetention = clock.monotonic + Self.retentionPause
            var hold = RetentionHold()
            var watch = watch
            await storeMaintenance.runRound()
            await states.look()
            async let _ = storeMaintenance.scanAll()
            while !Task.isCancelled {
                do { try await clock.sleep(until: clock.monotonic + nextPause) } catch { return }
                if clock.monotonic >= nextRetention {
                    nextRetention = clock.monotonic + Self.retentionPause
                    await apply(hold.update(at: stamps.moment) ? retention.keepingAge : retention)
                }
                await storeMaintenance.runRound()
                await states.look()
                await checkThreads(&watch)
            }
        }
        systemd.stopping()
    }

    /// Often enough for the watchdog, even when one round takes long.
    private var nextPause: Duration {
        let isQuiet = storeMaintenance.isResting && view.now.measures.isEmpty
        return min(isQuiet ? Self.rest : Self.pause, systemd.watchdog.map { $0 / 3 } ?? Self.rest)
    }

    private func apply(_ retention: RetentionPolicy) async {
        do {
            try await database.applyRetention(retention, at: stamps.stamp(""))
            await database.finishErasure(at: stamps.stamp(""))
            try await lookAtOutbox()
        } catch {
            log.error("care", metadata: ["error": "\(error)"])
        }
    }

    /// Feeds the watchdog where all threads make progress, and has the loop look around.
    private func checkThreads(_ watch: inout AgentWatch) async {
        let verdict = watch.check(at: stamps.clock.monotonic)
        // Kept before the watchdog, fed no longer, ends this process: the next start reads it.
        if let tried = watch.pending {
            _ = try? await onThread("studyd-watch") { [watch] in watch.keep(tried) }
        }
        view.change { $0.stuck = verdict.faults }
        mailbox.post(.lookAround)
        if verdict.feeds { systemd.alive() }
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
