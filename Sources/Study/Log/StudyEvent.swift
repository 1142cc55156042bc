// SPDX-License-Identifier: Apache-2.0
import Base

/// Everything that can happen, as the event log has it: one case for each kind of row. A row also has a stamp
/// (`EventStamp`: when, and in which enrolment). `EventLog` appends the rows and reads them.
///
/// Case and label names are the file format, and so are those of a `LoggedRecord`: rename none, give new
/// labels an optional type.
package enum StudyEvent: Codable, Sendable, Hashable {
    // The agent.
    case agentStarted(version: String)
    case agentStopped(reason: String)
    case fault(place: String, message: String)

    /// The store was damaged: what was found of it, and which rows are lost. The row
    /// before it may be gone.
    case salvaged(record: SalvageRecord)

    // The study.
    case enrolled(enrolment: EnrolmentRecord)
    /// The date of an enrolment that was made while the clock was not trusted, computed from the first
    /// trusted time. What the wall clock showed then is in `enrolled`.
    case enrolmentDated(instant: Instant, local: LocalDateTime)
    /// `value` is what came out of `probabilities` (value → probability).
    case drawn(what: String, value: String, probabilities: [String: Double])
    case variableSet(name: String, value: AnswerValue)
    case promptsSwitched(on: Bool)
    /// Another version of the study is followed from here on; its bytes are kept under the digest.
    case studyUpdated(fileDigest: String, version: String)
    /// A server's message, status or opened text.
    case serverFact(name: String, text: String)
    /// Consent, its version and choices, as given by the assistant.
    case consented(name: String, version: String, choice: String)
    /// `deletesData` true = the participant asked for the deletion of what the lab has.
    case withdrawn(deletesUnsent: Bool, deletesData: Bool? = nil)
    /// The contents of this many rows of this enrolment were taken out of the log, with all that followed from
    /// them; the hashes that chain the rows stay.
    case erased(rows: Int, reason: String)
    /// The device was made ready for another person: nothing follows in this log.
    case handedOver

    // Prompts and runs.
    case prompted(occurrence: OccurrenceRecord)
    /// Its signal was really given.
    case presented(occurrence: String)
    /// The participant wants to be asked again later.
    case promptPutOff(occurrence: String)
    case pressed(button: Int, at: MonotonicTime)
    case released(button: Int, at: MonotonicTime)
    /// The event marker of that name was pressed.
    case marked(button: String, at: MonotonicTime)
    case listOpened, listLeft
    case graphsOpened, graphsLeft
    case menuOpened, menuLeft
    /// `occurrence` is nil for a run the participant started.
    case runOpened(task: String, opening: Int, occurrence: String?)
    case answered(task: String, opening: Int, answer: AnswerRecord)
    /// Progress of an active task: its own event name, and values.
    case taskProgress(
        task: String, opening: Int, name: String, at: MonotonicTime, values: [String: Double], step: String? = nil)
    case submitted(task: String, opening: Int, submission: SubmissionRecord)
    case runLeft(task: String, opening: Int)
    /// The one end of an occurrence.
    case concluded(occurrence: OccurrenceRecord, outcome: Outcome)
    /// These fell due by a clock that had jumped ahead and has gone back: they come where the plan has them; how
    /// they ended is void.
    case occurrencesReturned(occurrences: [String])

    // Rules.
    /// One point of a rule, whatever came of it: its availability, probability and draw.
    case decided(decision: DecisionRecord)
    /// The prompt of a treated point; `occurrence` is its id.
    case raised(rule: String, index: Int, occurrence: String, at: Instant)
    case outcomeMeasured(outcome: OutcomeRecord)

    // Time.
    case anchored(anchor: AnchorRecord)
    /// The participant's wall clock is in another zone than before; both are names of
    /// the tz database. `until` is the last moment at which the device is known to have been on in the old one.
    case zoneChanged(from: String, to: String, until: Instant? = nil)
    /// The wall clock was set; positive = forward.
    case clockStepped(nanoseconds: Int64)

    // Recordings.
    /// From then on this many samples per second are due of each measure; the names are channels.
    case measuringStarted(rates: [String: Double], at: MonotonicTime)
    /// Measuring was stopped in good order: `samplesCounted` rows up to then come before it.
    case measuringStopped
    /// How much was due of a measure in this many seconds, by its rate and the clock alone; `lost`
    /// counts, by reason, the losses that no file reports.
    case samplesCounted(measure: String, rate: Double, seconds: Double, due: Int64, lost: [String: Int64])
    /// The participant paused the sensors at that time, for that number of seconds.
    case sensorsPaused(at: MonotonicTime, seconds: Double)
    /// The pause ended: by the participant before its time was over (`byHand`), or by itself.
    case sensorsResumed(at: MonotonicTime, byHand: Bool)
    /// Samples that were due and are not there.
    case gap(source: String, reason: String, from: MonotonicTime, to: MonotonicTime, samples: Int64)
    case recordingSealed(recording: RecordingRecord)
    case recordingRemoved(recording: String, reason: RemovalReason)

    // The outbox. `item` is an item's id.
    case queued(item: QueuedItem)
    case uploadStarted(item: String)
    /// The server made a place for it, at which sending goes on after a break; empty =
    /// the place is gone.
    case uploadLocated(item: String, url: String)
    /// `countersigned` is what the lab's receiver has signed about this log (`Countersignature`);
    /// nil where another server took it.
    case uploadDelivered(item: String, receipt: String, countersigned: String? = nil)
    case uploadRefused(item: String, reason: String)
    /// The item was sent, and no answer came: it is unknown whether the server has it. `resends` =
    /// it will be sent again; else a person decides.
    case uploadUncertain(item: String, reason: String, resends: Bool)
    case uploadFailed(item: String, reason: String, retryAt: Instant)
    /// Sending stopped for an item of a higher class; the server keeps what it has of this one, and the rest is
    /// sent later.
    case uploadPaused(item: String)
    case itemDropped(item: String, reason: String)
    case itemDeleted(item: String, reason: String)
    /// An operator has a refused item tried again, or a delivered one sent again whose receipt is doubted.
    case itemRequeued(item: String)

    // The lab's receiver, where no upload goes to it.
    /// This report tells the receiver that the log has come to this row.
    case headTold(report: Int64)
    /// What the receiver has signed about this log (`Countersignature`).
    case headConfirmed(countersigned: String)
}

/// Why a recording's file is no longer on the device.
package enum RemovalReason: String, LoggedRecord {
    /// Delivered, and older than the retention keeps.
    case retention
    /// The disk cap or the floor of free space took it before it was delivered.
    case diskCap = "disk-cap"
    case withdrawal
    case byHand = "by-hand"
}
