// SPDX-License-Identifier: Apache-2.0
import Logging
import Store
import Synchronization
import Times

/// What has to be done every few seconds: feeds systemd's watchdog, tells the panel of deliveries, and keeps the disk cap.
///
/// The watchdog is fed when the store has answered, and loop, recorder and every thread that measures have made progress, each within its
/// own bound (`LifeSigns`). What follows where one has not is `RestartRule`'s.
struct MaintenanceService: Service {
    let database: StudyDatabase
    let stamps: EventClock
    let view: SharedState
    let mailbox: Mailbox
    let systemd: SystemdNotifier
    let keeper: StoreMaintenance
    let retention: RetentionPolicy
    let watch: AgentWatch
    let log: Logger

    func run() async throws {
        systemd.ready()
        await cancelWhenStopped {
            // What was delivered before this start is no news.
            var delivered = (try? await database.itemCount(in: .delivered)) ?? 0
            var round = 0
            var hold = RetentionHold()
            var watch = watch
            let period = min(.seconds(5), systemd.watchdog.map { $0 / 3 } ?? .seconds(5))
            await keeper.care()
            while !Task.isCancelled {
                do { try await stamps.clock.sleep(until: stamps.clock.monotonic + period) } catch { return }
                do {
                    let now = try await database.itemCount(in: .delivered)
                    if now > delivered { mailbox.post(.delivered) }
                    delivered = now
                    round += 1
                    if round % 12 == 0 {
                        let policy = hold.holds(at: stamps.moment) ? retention.keepingAge : retention
                        try await database.applyRetention(policy, at: stamps.stamp(""))
                        await database.finishErasure(at: stamps.stamp(""))
                    }
                } catch {
                    log.error("care", metadata: ["error": "\(error)"])
                }
                await keeper.care()
                let verdict = watch.check(at: stamps.clock.monotonic)
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
}
