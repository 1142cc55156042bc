// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import SystemKit

/// Queues the records of each day that is over, for every destination that keeps them: segments of the event log,
/// and a manifest of all that was produced. `AgentRuntime` runs it; it works once an hour, and only while the clock is
/// known.
struct DayRecordService: Service {
    let database: StudyDatabase
    /// By name.
    let destinations: [String]
    /// Those that get records of enrolments with rules alone: the lab's receiver, by name.
    var ruledOnly: [String] = []
    let routes: LabRoutes
    let key: DeviceKeyFile
    let stamps: EventClock
    let clock: ClockStatus
    let wakeUploader: @Sendable () -> Void
    let log: Logger
    /// Recordings that are not in the log yet: the last manifest of an enrolment waits for its own; nil = it
    /// does not wait.
    var unlogged: UnloggedRecordings?

    private static let pause = Duration.seconds(3600)
    /// In one round and for one destination; a device that was offline for half a year needs several
    /// rounds.
    private static let mostDays = 40

    func run() async throws {
        let work = RepeatedWork(clock: stamps.clock, leastPause: .seconds(60))
        await cancelWhenStopped {
            await work.run {
                do { if try await queueDue() > 0 { wakeUploader() } } catch {
                    log.warning("day records", metadata: ["fault": "\(error)"])
                }
                return Self.pause
            }
        }
    }

    /// How many records were queued.
    @discardableResult
    func queueDue() async throws -> Int {
        // Not while the store's tables are still being rebuilt from the log.
        guard clock.trust.opinion.isGood(within: clock.bound), await database.isCurrent else { return 0 }
        let plan = ManifestPlan(zone: stamps.zone, today: stamps.zone.local(stamps.moment.instant).date)
        var count = 0
        for destination in destinations + ruledOnly {
            for _ in 0..<Self.mostDays {
                let queued = try await queueNext(for: destination, plan)
                guard queued > 0 else { break }
                count += queued
            }
        }
        return count
    }

    /// Queues the next day's records. Returns how many; 0 where no day is due.
    private func queueNext(for destination: String, _ plan: ManifestPlan) async throws -> Int {
        let enrolments = try await database.enrolments().filter {
            !ruledOnly.contains(destination) || $0.record.rules != nil
        }
        // Asked for the enrolments that were just read: the recordings of one that ends while days are
        // queued are still open.
        var plan = plan
        plan.unlogged = try await unlogged?.owners(among: enrolments.filter(plan.endsToday)) ?? []
        guard let due = plan.next(enrolments, after: try await database.nextDayRecord(for: destination)),
            let state = enrolments.first(where: { $0.record.id == due.enrolment })
        else { return 0 }
        let day = LocalDate(daysSinceEpoch: due.day)
        let signing = try await onThread("studyd-record") { [key] in key.read() }?.signing
        let manifest = try await database.manifest(
            day, plan.span(of: day, in: state), of: state.record, to: destination, routes, signedBy: signing)
        // The log first: after a crash in between the day is still to be done.
        let segments = try await queueSegments(for: destination, upTo: state.record, signedBy: signing)
        try await database.append([], sending: manifest, at: stamps.stamp(state.record.id))
        return segments + manifest.count
    }

    /// Queues segments of the log up to its present end: queueing appends rows as well, which are left to the next
    /// day's segment. Returns how many.
    private func queueSegments(
        for destination: String, upTo record: EnrolmentRecord, signedBy key: Ed25519.PrivateKey?
    ) async throws -> Int {
        let end = try await database.logEnd()
        var count = 0
        while let segment = try await database.logSegment(
            upTo: record, to: destination, zone: stamps.zone, signedBy: key)
        {
            try await database.append([], sending: [segment.draft], at: stamps.stamp(segment.enrolment))
            count += 1
            guard let last = DayRecord.lastRow(of: segment.draft.origin), last < end else { break }
        }
        return count
    }
}
