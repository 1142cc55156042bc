// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study

/// How the device is at a moment, as a small item for destinations that make records of it (`RadarDestination`).
struct DeviceSignals: Sendable, Hashable {
    static let origin = "device-signals"

    let time: Instant
    /// 0 to 1; nil where there is no battery, or it does not tell.
    var level: Double?
    var status = BatteryGauge.Status.unknown
    var uptime: Duration
    /// Seconds of local time ahead of UTC.
    var offset: Int
    var delivered: Int
    var waiting: Int

    func draft(to destination: String) -> OutboxDraft {
        let json = JSONText.object([
            "time": .string(time.rfc3339()), "level": level.map { .number($0) }, "status": .string(status.rawValue),
            "uptime": .number(uptime.seconds), "offset": .integer(Int64(offset)),
            "delivered": .integer(Int64(delivered)), "waiting": .integer(Int64(waiting)),
        ])
        return OutboxDraft(
            origin: "\(Self.origin) \(time.seconds)", itemClass: .events, destination: destination,
            content: .request(
                WireRequest(
                    method: "POST", url: "", headers: [.init(name: "Content-Type", value: "application/json")],
                    body: Array(json.text.utf8))))
    }
}

/// Queues the device's signals once an hour, while somebody takes part and the clock is known; until
/// then it looks every minute.
struct DeviceSignalService: Service {
    let database: StudyDatabase
    /// By name; not empty.
    let destinations: [String]
    /// `/sys`, or a tree of the same form; empty = the kernel is not asked.
    let sysfs: String
    let stamps: EventClock
    let clock: ClockStatus
    let wakeUploader: @Sendable () -> Void
    let log: Logger

    private static let pause = Duration.seconds(3600)
    private static let retryPause = Duration.seconds(60)

    func run() async throws {
        let work = RepeatedWork(clock: stamps.clock, leastPause: Self.retryPause)
        await cancelWhenStopped { await work.run { await queueDue() } }
    }

    /// Queues an item where one can be made; returns how long to wait before the next.
    private func queueDue() async -> Duration {
        do {
            guard try await queue() else { return Self.retryPause }
            wakeUploader()
            return Self.pause
        } catch {
            log.warning("device signals", metadata: ["fault": "\(error)"])
            return Self.retryPause
        }
    }

    /// False where nothing was queued.
    func queue() async throws -> Bool {
        guard clock.trust.opinion.isGood(within: clock.bound), await database.isCurrent,
            let state = try await database.latestEnrolment(), state.withdrawn == nil
        else { return false }
        let items = try await database.counts().items
        let now = stamps.clock.now
        let charge = sysfs.isEmpty ? nil : BatteryGauge(root: sysfs).charge
        let signals = DeviceSignals(
            time: now, level: charge.map { $0.percent / 100 }, status: charge?.status ?? .unknown,
            uptime: stamps.clock.monotonic - .zero, offset: stamps.zone.period(at: now).offset,
            delivered: items[.delivered] ?? 0, waiting: (items[.waiting] ?? 0) + (items[.sending] ?? 0))
        try await database.append(
            [], sending: destinations.map { signals.draft(to: $0) }, at: stamps.stamp(state.record.id))
        return true
    }
}
