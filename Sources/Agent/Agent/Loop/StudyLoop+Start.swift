// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// What a start knows of the time before it, and how far it has come.
struct StartProgress: Sendable {
    /// The last row of an earlier start; nil in a new log.
    let lastRow: EventStamp?
    /// In which an earlier start measured, as the log has it.
    let span: MeasuringSpan?
    /// The last sign of life of that span.
    let beat: MonotonicTime?
    /// Recordings of lower numbers are of earlier starts.
    let firstNumber: Int
    /// What an earlier start left is in order, and the log knows that measuring began.
    var isRecovered = false
    /// What came meanwhile and can be decided only when the study is read, in order.
    var deferred: [AgentEvent] = []
    /// When to try again what the disk refused; nil = nothing was.
    var retry: MonotonicTime?
    /// The store was set aside once already.
    var hasRepaired = false

    /// The longest that `deferred` gets; what comes then is counted as lost.
    static let room = 4096
}

/// How the loop comes up: it measures first, for whom the log names, and puts everything else in
/// order while samples are taken.
///
/// After an update what follows from the log may be made again, step by step: a restart goes on
/// where it was. Nothing is decided, sent or removed before.
extension StudyLoop {
    /// Measuring has begun when this returns; the rest is done by `.goOnStarting`.
    func start() async throws {
        let last = try await parts.database.newestStamp()
        off = last.map { ($0.wall, parts.stamps.moment.monotonic) }
        let span = try await parts.database.lastMeasuring()
        // Both will soon be this start's own.
        let beat = span.flatMap { Heartbeat.last(path: parts.heartbeat, boot: $0.stamp.bootID) }
        let first = coming?.firstNumber ?? parts.folder.numbers.upcoming
        firstNumber = first
        coming = StartProgress(lastRow: last, span: span, beat: beat, firstNumber: first)
        await findExpected()
        let isBehind = await !parts.database.isCurrent
        // Whatever is read is read: a disk that is slow to write keeps measuring from nothing.
        try await feed(.began(version: AgentVersion.text))
        for event in try await restartMeasuring() { try await feed(event) }
        if isBehind { parts.log.notice("rebuilding from the event log after an update") }
        parts.mailbox.post(.goOnStarting)
    }

    /// Who takes part, by rows of the log that cost no time to find; the study's needs, so that
    /// measuring need not begin anew for them.
    private func findExpected() async {
        (expected, expectedNeeds) = (nil, StudyNeeds())
        let known = (try? await parts.database.enrolmentByLog()) ?? nil
        guard known?.isWithdrawn != true else { return }
        if let record = known?.record, let loaded = (try? await parts.database.loadedStudy(record)) ?? nil {
            expected = record
            expectedNeeds = StudyNeeds(loaded.study, condition: record.condition, panel: parts.panel)
        } else if !((try? await parts.database.salvages()) ?? []).isEmpty {
            expected = known?.record ?? parts.kept.read()
        }
    }

    /// Takes an event; false when the loop is to end. While the start goes on, what needs the
    /// study waits for it.
    func handleOrDefer(_ event: AgentEvent) async throws -> Bool {
        guard coming != nil else { return await handle(event) }
        switch event {
        case .goOnStarting: try await goOn()
        case .stop:
            // Where the log is still being read anew, the next start finds the files by themselves.
            if !isStopping, await parts.database.isCurrent { try await arrive() }
            return await handle(event)
        case .alarm:
            let isDue = coming?.retry.map { $0 <= parts.stamps.moment.monotonic } ?? false
            if isDue { try await goOn() }
            return await handle(event)
        case .committed, .fault, .recorder(.progress, _), .clockFound, .storeChanged, .lookAround, .remark, .health:
            return await handle(event)
        // The study is read when the rest is done, whatever changed until then.
        case .enrolmentChanged: break
        default: keepForLater(event)
        }
        return true
    }

    /// The store that a start could not use is there: what the start could not do is done now,
    /// where it knows of more than was known in memory.
    func beginWithStore() async {
        await showFault()
        let present = ((try? await parts.database.latestEnrolment()) ?? nil).flatMap {
            $0.withdrawn == nil ? $0.record.id : nil
        }
        guard coming == nil, !isStopping, present != core.study?.record.id else { return }
        coming = StartProgress(lastRow: nil, span: nil, beat: nil, firstNumber: firstNumber)
        parts.mailbox.post(.goOnStarting)
    }

    private func keepForLater(_ event: AgentEvent) {
        guard let count = coming?.deferred.count, count < StartProgress.room else { return parts.mailbox.countLoss() }
        coming?.deferred.append(event)
    }

    private func goOn() async throws {
        guard !isStopping else { return }
        coming?.retry = nil
        do {
            if await !parts.database.isCurrent, try await parts.database.catchUp() {
                parts.signs.loopTurned()
                parts.mailbox.post(.goOnStarting)
            } else {
                try await arrive()
            }
        } catch let error as DatabaseError {
            try await putRight(error)
        }
    }

    /// A disk may do later what it refuses now; damage that lies deeper than the opening of the
    /// store looked is set aside, once.
    private func putRight(_ error: DatabaseError) async throws {
        switch error.kind {
        case .busy, .diskFull, .inputOutput, .cannotOpen:
            parts.log.error("start", metadata: ["fault": "\(error)"])
            coming?.retry = parts.stamps.moment.monotonic + CommitService.pause
        default:
            guard coming?.hasRepaired == false else { throw error }
            coming?.hasRepaired = true
            await parts.repair(error.message)
            parts.mailbox.post(.goOnStarting)
        }
    }

    /// The log is read: what earlier starts left is put in order, and the study comes to life.
    private func arrive() async throws {
        if coming?.isRecovered == false {
            parts.commits.wakeUploader()
            try await parts.database.sweepRemovedRecordings(at: parts.stamps.stamp(""))
            try await recover()
            coming?.isRecovered = true
            if let measuring { for event in recordMeasuring(measuring) { try await feed(event) } }
        }
        try await feed(.entered(entry()))
        let deferred = coming?.deferred ?? []
        coming = nil
        parts.signs.loopIsUp()
        for event in deferred { _ = await handle(event) }
    }

    /// Whose recordings these are: also where the enrolment was lost with the store.
    var owner: EnrolmentRecord? { core.owner ?? expected }

    /// For whom is to be measured.
    var target: MeasuringTarget {
        MeasuringTarget(owner: owner?.id, needs: core.study?.needs ?? expectedNeeds)
    }

    /// Keeps the enrolment beside the store, or takes it from there where the store has lost it.
    func lostEnrolment(besides study: ActiveStudy?) async -> EnrolmentRecord? {
        if let record = study?.record {
            parts.kept.keep(record)
            return nil
        }
        let state = (try? await parts.database.latestEnrolment()) ?? nil
        let isDamaged = !((try? await parts.database.salvages()) ?? []).isEmpty
        guard isDamaged, state?.withdrawn == nil else {
            parts.kept.keep(nil)
            return nil
        }
        // The enrolment may be there still, and the study's file be lost.
        return state?.record ?? parts.kept.read()
    }
}
