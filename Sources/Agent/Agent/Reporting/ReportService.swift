// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import Synchronization
import SystemKit

/// Reports to the lab's receiver, while the agent runs and once more at a hand-over (`LastReport`). After a report
/// that was received it sends the manifests of days that are over: signed lists of what the device produced
/// (`DayManifest`).
///
/// A crash may repeat a report, and never loses one: a number is kept on the disk before it is used, and what was
/// received is kept after the answer, so that no number stands for two reports and no outcome is left out. Only
/// a crash while the disk is full may use a number again; the receiver knows outcomes by their occurrence.
final class ReportService: Service {
    /// Sends a body to a path of the receiver; blocks. With `log` the lab signs the head of the event log, and
    /// `countersigned` is that signature (`Countersignature`).
    typealias Post =
        @Sendable (
            _ body: [UInt8], _ path: String, _ device: String, _ log: LogWitness?
        ) -> (answer: LabAnswer, countersigned: String?)

    private let reader: ReportReader
    private let memory: ReportMemoryFile
    private let routes: LabRoutes
    private let post: Post
    private let stop: @Sendable () -> Void
    private let log: Logger
    private let requests: ReportRequests
    /// What manifests are signed with; reads a small file.
    private let key: @Sendable () -> DeviceKey?
    /// Recordings that are not in the log yet: the last manifest of an enrolment waits for its own; nil = it does
    /// not wait.
    private let unlogged: UnloggedRecordings?
    /// The last number since the agent started. A full disk keeps no number, and the lab has to hear of it
    /// all the same.
    private let used = Mutex<Int64>(0)

    /// From the start of the agent to its first report: measuring has begun by then.
    static let settling = Duration.seconds(5)
    /// Manifests that follow one report.
    private static let mostManifests = 40

    private var database: StudyDatabase { reader.database }
    private var stamps: EventClock { reader.stamps }

    /// `stop` ends a `post` under way within about a second.
    init(
        _ requests: ReportRequests, reader: ReportReader, memory: ReportMemoryFile, routes: LabRoutes, log: Logger,
        key: @escaping @Sendable () -> DeviceKey? = { nil }, unlogged: UnloggedRecordings? = nil,
        post: @escaping Post, stop: @escaping @Sendable () -> Void
    ) {
        (self.requests, self.reader, self.memory, self.routes) = (requests, reader, memory, routes)
        (self.log, self.key, self.unlogged) = (log, key, unlogged)
        (self.post, self.stop) = (post, stop)
    }

    func run() async throws {
        let clock = stamps.clock
        let seed = UInt64(truncatingIfNeeded: clock.now.nanoseconds)
        if let known = try? await onThread("studyd-report", { [memory] in memory.read() }) {
            reader.view.change { $0.reports = ReportStatus(known) }
        }
        await withStopHandler {
            await cancelWhenStopped { [self] in
                var plan = ReportPlan(due: clock.monotonic + Self.settling, pace: reader.pace, seed: seed)
                await requests.work.run { await reportIfDue(&plan) }
            }
        } onStop: { [stop] in
            stop()
        }
    }

    private func reportIfDue(_ plan: inout ReportPlan) async -> Duration {
        let clock = stamps.clock
        for event in requests.take() { plan.handle(event, at: clock.monotonic) }
        guard case .send(let isChange) = plan.step(at: clock.monotonic) else { return pause(plan) }
        do {
            plan.handle(try await report(isChange: isChange), at: clock.monotonic)
        } catch {
            log.warning("report", metadata: ["fault": "\(error)"])
            plan.handle(.failed(retryAfter: .zero), at: clock.monotonic)
        }
        return pause(plan)
    }

    private func pause(_ plan: ReportPlan) -> Duration {
        if case .wait(let time) = plan.step(at: stamps.clock.monotonic) { time } else { .zero }
    }

    /// Sends one report; returns what it came to.
    func report(isChange: Bool) async throws -> ReportPlan.Event {
        // Which enrolment the report is about.
        let known = try await onThread("studyd-report") { [memory] in memory.read() }
        var memory = known.following(try await database.logName())
        // The enrolment of the next outcome that no report had.
        let unreported = try await database.enrolmentOfFirstOutcome(after: memory.row)
        let subject = ReportSubject(
            try await database.enrolments(), unreported: unreported, memory: memory, isChange: isChange)
        guard let subject else {
            // No enrolment is in force, and everything was reported; manifests may still be owed.
            try await sendManifests(&memory)
            return .received(hasMore: false)
        }
        // Its number, kept before it is used.
        memory.number = used.withLock { used in
            used = max(used, memory.number) + 1
            return used
        }
        await keep(memory)
        let report = try await reader.report(subject, number: memory.number, after: memory.row)
        let (body, row) = report.encoded()
        let answer = try await send(
            body, "/reports", subject.record, witness: try await witness(memory.number, subject))
        memory.last = .init(number: report.number, at: report.at.rfc3339(in: report.zone), answer: answer.words)
        var event = Self.failure(answer)
        if answer == .received(String(report.number)) {
            event = .received(hasMore: try await advance(&memory, to: row, subject))
        }
        // A network that is gone is not worth a write.
        if event != .failed(retryAfter: .zero) { await keep(memory) }
        await show(answer, memory)
        if event == .received(hasMore: false) { try await sendManifests(&memory) }
        return event
    }

    /// Notes how far outcomes were received, and which enrolment's end; true where another report has to
    /// follow at once.
    private func advance(_ memory: inout ReportMemory, to row: Int64?, _ subject: ReportSubject) async throws -> Bool {
        let id = subject.record.id
        memory.row = row ?? memory.row
        (memory.announced, memory.lastReceived) = (id, memory.last)
        // The enrolment of the next outcome that was not received; nil = all were.
        let next = try await database.enrolmentOfFirstOutcome(after: memory.row)
        guard subject.isOver, next != id else {
            // Not where outcomes of this enrolment are left and none fitted: the next report would carry none either.
            return next != nil && (next != id || row != nil)
        }
        memory.ended = id
        // A later enrolment has its own report.
        let present = try await database.latestEnrolment()?.record.id
        return next != nil || id != present
    }

    private static func failure(_ answer: LabAnswer) -> ReportPlan.Event {
        switch answer {
        case .keyUnknown, .codeRefused, .revoked, .refused: .barred
        case .unavailable(_, let retryAfter): .failed(retryAfter: retryAfter)
        // Of another number: not this one's receipt.
        case .received: .failed(retryAfter: .zero)
        }
    }

    private func show(_ answer: LabAnswer, _ memory: ReportMemory) async {
        reader.view.change { $0.reports = ReportStatus(memory, answer, before: $0.reports) }
        await reader.watch.look()
        if case .received = answer { return }
        log.info("report", metadata: ["number": "\(memory.number)", "answer": "\(answer.words)"])
    }

    /// Every day that is over, in order, until one is not received.
    private func sendManifests(_ memory: inout ReportMemory) async throws {
        let moment = stamps.moment
        guard reader.clock.trust.opinion.isGood(within: reader.clock.bound), await database.isCurrent else { return }
        var plan = ManifestPlan(zone: stamps.zone, today: stamps.zone.local(moment.instant).date)
        try await waitForRecordings(plan)
        for _ in 0..<Self.mostManifests {
            let enrolments = try await database.enrolments()
            // Asked for the enrolments that were just read: the recordings of one that ends while manifests
            // are sent are still open.
            plan.unlogged = try await unlogged?.owners(among: enrolments.filter(plan.endsToday)) ?? []
            guard let due = plan.next(enrolments, after: memory.manifest),
                let state = enrolments.first(where: { $0.record.id == due.enrolment }),
                try await sendManifest(state, LocalDate(daysSinceEpoch: due.day), plan)
            else { return }
            memory.manifest = ReportMemory.Day(enrolment: due.enrolment, day: due.day + 1)
            // What cannot be kept is sent again later.
            guard await keep(memory) else { return }
        }
    }

    /// Until the log knows the recordings of participants who left today. They are sealed within seconds; a disk
    /// that refuses them holds up no report for longer.
    private func waitForRecordings(_ plan: ManifestPlan) async throws {
        guard let unlogged else { return }
        let clock = stamps.clock
        for _ in 0..<10 {
            let ended = try await database.enrolments().filter(plan.endsToday)
            if try await unlogged.owners(among: ended).isEmpty { return }
            try await clock.sleep(until: clock.monotonic + .seconds(1))
        }
    }

    /// All parts of a day's manifest; false where one was not received.
    private func sendManifest(_ state: EnrolmentState, _ day: LocalDate, _ plan: ManifestPlan) async throws -> Bool {
        let (record, span) = (state.record, plan.span(of: day, in: state))
        let entries = try await database.produced(of: record.id, from: span.start, to: span.end, routes)
        let signing = try await onThread("studyd-report") { [key] in key() }?.signing
        for part in try DayManifest(record: record, day: day, entries: entries).signed(by: signing) {
            let answer = try await send(part, "/manifests", record)
            guard answer == .received("\(day)") else {
                log.info("manifest", metadata: ["day": "\(day)", "answer": "\(answer.words)"])
                return false
            }
        }
        return true
    }

    /// The head of the event log, which the lab countersigns; nil where uploads carry it.
    private func witness(_ number: Int64, _ subject: ReportSubject) async throws -> LogWitness? {
        guard routes.lab.isEmpty, await database.isCurrent else { return nil }
        return try? await database.tellHead(report: number, at: stamps.stamp(subject.record.id))
    }

    private func send(
        _ body: [UInt8], _ path: String, _ record: EnrolmentRecord, witness: LogWitness? = nil
    ) async throws -> LabAnswer {
        let (answer, countersigned) = try await onThread("studyd-report") { [post] in
            post(body, path, record.participant, witness)
        }
        if let countersigned, witness != nil {
            // The report was received, whether or not a full disk takes this row.
            do {
                try await database.append([.headConfirmed(countersigned: countersigned)], at: stamps.stamp(record.id))
            } catch { log.warning("report", metadata: ["fault": "\(error)"]) }
        }
        return answer
    }

    /// Whether it could be kept; a disk that is full or broken keeps no report from being sent.
    @discardableResult
    private func keep(_ new: ReportMemory) async -> Bool {
        do {
            try await onThread("studyd-report") { [memory] in try memory.keep(new) }
            return true
        } catch {
            log.warning("report", metadata: ["fault": "\(error)"])
            return false
        }
    }

    /// To that server, with the device's key. Without `isMeasuring` no recording is awaited.
    convenience init(
        _ requests: ReportRequests, to server: ServerSettings, _ configuration: AgentConfiguration,
        _ folder: StateFolder, _ reader: ReportReader, isMeasuring: Bool = true, _ log: Logger
    ) {
        let flag = StopFlag()
        let connection = LabConnection(
            server: server, key: DeviceKeyFile(folder), now: { [clock = reader.stamps.clock] in clock.now }, stop: flag)
        self.init(
            requests, reader: reader, memory: ReportMemoryFile(in: folder.path),
            routes: LabRoutes(configuration.destinations, lab: configuration.labAddress ?? server.url), log: log,
            key: { DeviceKeyFile(folder).read() },
            unlogged: isMeasuring ? UnloggedRecordings(in: folder.recordings, reader.database) : nil,
            post: { connection.post($0, to: $1, of: $2, witness: $3) }, stop: { flag.raise() })
    }
}
