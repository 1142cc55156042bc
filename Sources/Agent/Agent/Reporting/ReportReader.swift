// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Puts a report together from the store, the loop's present state and the kernel: `ReportService` sends it, and
/// `LiveFeed` publishes the device's status from one. The lab is blinded: what rules drew by chance, and prompts that
/// would show it, must not be in it.
struct ReportReader: Sendable {
    let database: StudyDatabase
    let status: StatusReader
    let view: SharedState
    let clock: ClockStatus
    let stamps: EventClock
    let folder: String
    /// `/sys`, or a tree of the same form; empty = the kernel is not asked.
    let sysfs: String
    let configuration: String?
    let watch: StateWatch
    var pace = ReportPlan.Pace()

    /// The report, with the outcomes of the subject's enrolment after that row of the event log, as far as there
    /// is room.
    func report(_ subject: ReportSubject, number: Int64, after row: Int64) async throws -> DeviceReport {
        var report = DeviceReport(
            number: number, at: stamps.clock.now, zone: stamps.zone, reason: subject.reason, record: subject.record)
        report.within = pace.within
        let endings = try await database.endings(of: subject.record.id, after: row)
        (report.prompts, report.returned) = (endings.outcomes, endings.returned)
        let newest = try await database.highestRecordingNumber()
        report.newestRecording = newest > 0 ? newest : nil
        report.outbox = try await database.backlog()
        // While projections are rebuilt, the ledger's sums would be wrong.
        if await database.isCurrent { report.ledger = try await status.ledger(isBlinded: true).json }
        let opinion = clock.trust.opinion
        (report.clock, report.isClockTrusted) = (opinion, opinion.isGood(within: clock.bound))
        addDevice(to: &report)
        let consent = try await database.consent(of: subject.record.id)
        if !subject.isOver, let problem = consent.problem {
            report.faults.insert(.init(place: "consent", words: problem, since: consent.since), at: 0)
        }
        report.activity = await activity(subject)
        report.nextPrompt = subject.isOver ? nil : nextPrompt
        report.asksForDeletion = try await database.hasAskedForDeletion(of: subject.record.id)
        return report
    }

    private func addDevice(to report: inout DeviceReport) {
        let now = view.now
        report.coverage = now.measures.map(DeviceReport.Covered.init)
        report.disk = DiskSpace(at: folder)
        report.health = now.health
        if !sysfs.isEmpty {
            report.written = CardGauge(root: sysfs, folder: folder).written
            report.battery = BatteryGauge(root: sysfs).charge.map { $0.percent / 100 }
        }
        report.faults = now.faults.map {
            DeviceReport.Fault(place: $0.place, words: $0.cause, since: watch.start(of: $0))
        }
        report.configuration = configuration
    }

    /// Nil while prompts are off, and while the clock is not trusted: it is not known then when a prompt comes.
    private var nextPrompt: Instant? {
        guard let scheduler = view.now.conductor?.scheduler, scheduler.promptsAreOn, scheduler.clockIsTrusted else {
            return nil
        }
        return scheduler.upcoming(1).first?.due
    }

    private func activity(_ subject: ReportSubject) async -> DeviceReport.Activity {
        if subject.isOver { return .ended }
        let enrolled = try? await database.latestEnrolment()
        let now = view.now
        let isPaused =
            enrolled?.arePromptsOn == false || now.conductor?.scheduler.isPaused == true
            || !clock.trust.opinion.isGood(within: clock.bound)
        if isPaused { return .paused }
        return now.measures.contains { $0.counts.stored > 0 } ? .recording : .idle
    }
}

extension DeviceReport.Covered {
    init(_ state: MeasureState) {
        measure = state.kind.rawValue
        time = min(max(.zero, state.until - state.since), .seconds(3600))
        expected = state.unit == .samples ? Int64(state.lastHour.due) : nil
        stored = Int64(state.lastHour.stored)
        lost = Int64(state.lastHour.totalLost)
    }
}
