// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// How far a start has come, and what it knows from the log before the study is read. Belongs to
/// the loop.
///
/// A start measures first, for the enrolment that the log names, and puts everything else in order while samples
/// are taken. After an update the tables that follow from the log may be made again, step by step: a restart
/// goes on where it was. Nothing is decided, sent or removed before. `StudyLoop` calls `begin`, `catchUp` until
/// it returns false, `recover`, `setRecovered`, `moveFindings`, and `finish`.
final class StartSequence {
    private let parts: AgentDependencies
    /// Nil once all of it is done.
    private var progress: StartProgress?
    /// The enrolment that the log names, until the study is read.
    private(set) var expected: EnrolmentRecord?
    /// What its study needs of measuring.
    private(set) var expectedNeeds = StudyNeeds()
    /// The span within which no samples are kept, since the participant paused the sensors before this start.
    private(set) var pause: Range<MonotonicTime>?
    /// When the log's last row before this start was written; nil = there is none, or it could not be read.
    private(set) var lastRow: Instant?
    /// When the device was off, until the core has got it.
    private var off: (since: Instant, until: MonotonicTime)?
    /// Recorded for runs of an earlier start, until the core has got them.
    private var foundForRuns: [SealedRecording] = []
    private var firstNumber = Int.max

    init(_ parts: AgentDependencies) { self.parts = parts }

    var isOver: Bool { progress == nil }

    /// Whether the log knows what was before this start, and hears of measuring.
    var knowsPast: Bool { progress?.isRecovered != false }

    var retry: MonotonicTime? { progress?.retry }

    /// Reads what costs no time. Can be done again after a repair.
    func begin(isolation: isolated (any Actor)? = #isolation) async throws {
        let last = try await parts.database.newestStamp()
        lastRow = last?.wall
        off = lastRow.map { ($0, parts.stamps.moment.monotonic) }
        let span = try await parts.database.lastMeasuring()
        // Read now: this start will soon write a span and a heartbeat of its own.
        let beat = span.flatMap { Heartbeat.last(path: parts.heartbeat, boot: $0.stamp.bootID) }
        firstNumber = progress?.firstNumber ?? parts.folder.numbers.upcoming
        progress = StartProgress(lastRow: last, span: span, beat: beat, firstNumber: firstNumber)
        await findExpected()
    }

    /// Who takes part, by rows of the log that cost no time to find; the study's needs, so that
    /// measuring need not begin again for them.
    private func findExpected(isolation: isolated (any Actor)? = #isolation) async {
        (expected, expectedNeeds) = (nil, StudyNeeds())
        let known = try? await parts.database.enrolmentByLog()
        guard known?.isWithdrawn != true else { return }
        let isDamaged = !((try? await parts.database.salvages()) ?? []).isEmpty
        guard let record = known?.record ?? (isDamaged ? parts.backup.read() : nil),
            record.id != parts.leaving?.enrolment
        else { return }
        expected = record
        pause = (try? await parts.database.sensorPause(of: record.id))?.span(
            at: parts.stamps.moment, boot: parts.stamps.bootID,
            isTrusted: parts.trust.opinion.isGood(within: .seconds(60)))
        guard let loaded = try? await parts.database.loadedStudy(record) else { return }
        expectedNeeds = StudyNeeds(loaded.study, condition: record.condition, panel: parts.panel)
    }

    /// Begins the start a second time, for a store that could not be used before: what was left out is done now.
    func resume() {
        progress = StartProgress(lastRow: nil, span: nil, beat: nil, firstNumber: firstNumber)
        parts.mailbox.post(.goOnStarting)
    }

    func keepForLater(_ event: AgentEvent) {
        guard let count = progress?.deferred.count, count < StartProgress.room else { return parts.mailbox.countLoss() }
        progress?.deferred.append(event)
    }

    /// Reads the log a step further; false when it is read.
    func catchUp(isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
        progress?.retry = nil
        guard await !parts.database.isCurrent, try await parts.database.catchUp() else { return false }
        parts.watched.loopTurned()
        parts.mailbox.post(.goOnStarting)
        return true
    }

    /// What earlier starts left, put in order; nil where that was done before.
    func recover(
        _ anchors: [ClockAnchor], isolation: isolated (any Actor)? = #isolation
    ) async throws -> Recovery.Found? {
        guard let progress, !progress.isRecovered else { return nil }
        parts.commits.wakeUploader()
        try await parts.database.sweepRemovedRecordings(at: parts.stamps.stamp(""))
        let found = try await Recovery(parts, progress).run(anchors)
        foundForRuns = found.filesOfRuns
        return found
    }

    func setRecovered() { progress?.isRecovered = true }

    /// Moves into the entry what the core is to get once; later entries go without it.
    func moveFindings(into entry: inout StudyEntry) {
        (entry.off, entry.found) = (off, foundForRuns)
        (off, foundForRuns) = (nil, [])
        (expected, expectedNeeds) = (nil, StudyNeeds())
    }

    /// The start is over; what came meanwhile, in order.
    func finish() -> [AgentEvent] {
        let deferred = progress?.deferred ?? []
        progress = nil
        parts.watched.loopIsUp()
        return deferred
    }

    /// A disk may do later what it refuses now; damage that lies deeper than the opening of the
    /// store looked is set aside, once.
    func recover(from error: DatabaseError, isolation: isolated (any Actor)? = #isolation) async throws {
        switch error.kind {
        case .busy, .diskFull, .inputOutput, .cannotOpen:
            parts.log.error("start", metadata: ["fault": "\(error)"])
            progress?.retry = parts.stamps.moment.monotonic + CommitService.pause
        default:
            guard progress?.hasRepaired == false else { throw error }
            progress?.hasRepaired = true
            await parts.repair(error.message)
            parts.mailbox.post(.goOnStarting)
        }
    }
}

/// What a start of the agent knows of earlier ones, and how far it has come. `StartSequence` holds it until
/// the start is over.
struct StartProgress: Sendable {
    /// The last row of an earlier start; nil in a new log.
    let lastRow: EventStamp?
    /// The span in which an earlier start measured last, as the log has it; nil = none.
    let span: MeasuringSpan?
    /// The last sign of life of that span.
    let beat: MonotonicTime?
    /// The number of this start's first recording: those of lower numbers are of earlier starts.
    let firstNumber: Int
    /// What earlier starts left was put in order, and the log has the beginning of measuring.
    var isRecovered = false
    /// Events that arrived during the start, in order; they are decided once the study is read.
    var deferred: [AgentEvent] = []
    /// When to try again after the disk refused an operation; nil = it refused none.
    var retry: MonotonicTime?
    /// The damaged store was set aside already, which is done once in a start.
    var hasRepaired = false

    /// The most events in `deferred`; further ones are dropped and counted as lost.
    static let room = 4096
}
