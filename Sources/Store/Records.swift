// SPDX-License-Identifier: Apache-2.0
import StudyModel
import SystemKit
import Times

/// An enrolment with where its study came from.
public struct EnrolmentRecord: Codable, Sendable, Hashable {
    /// Unique on the device; what every stamp's `enrolment` refers to.
    public var id: String
    /// The study's own identifier, sent with every record.
    public var studyID: String
    /// The pseudonym as the platform writes it.
    public var participant: String
    /// The arm drawn; nil where the study has none.
    public var condition: String?
    /// Wall clock of the enrolment.
    public var instant: Instant
    /// What the participant's wall clock showed then; the plan counts days from it.
    public var local: LocalDateTime
    /// 32 bytes in hexadecimal.
    public var seed: String
    /// The raw value of the study's platform.
    public var platform: String
    /// Path or URL as given to `enroll`.
    public var source: String
    /// SHA-256 of the study's file as it was received, in hexadecimal; its bytes are kept under it.
    public var fileDigest: String
    /// Where records go instead of the study's own address; nil = the study's.
    public var postURL: String?

    /// The record of an enrolment.
    public init(
        _ enrolment: Enrolment, platform: PlatformName, source: String, fileDigest: Digest, postURL: String? = nil
    ) {
        id = enrolment.id
        studyID = enrolment.studyID
        participant = enrolment.participant.text
        condition = enrolment.condition
        instant = enrolment.instant
        local = enrolment.local
        seed = enrolment.seed.hexadecimal
        self.platform = platform.rawValue
        self.source = source
        self.fileDigest = fileDigest.description
        self.postURL = postURL
    }

    /// The enrolment itself; nil where the seed is no hexadecimal.
    public var enrolment: Enrolment? {
        [UInt8](hexadecimal: seed).map {
            Enrolment(
                id: id, studyID: studyID, participant: ParticipantID(participant), condition: condition,
                instant: instant, local: local, seed: $0)
        }
    }
}

/// An occurrence as it stands in the log.
public struct OccurrenceRecord: Codable, Sendable, Hashable {
    /// `<task key>/<number>`, unique in the enrolment.
    public var id: String
    /// The task's key.
    public var task: String
    /// The task's zero-based position in the study's file.
    public var taskIndex: Int
    /// The platform's running number; schema's begin at 101.
    public var number: Int
    /// What the participant's wall clock shows when it is due.
    public var local: LocalDateTime
    /// The same moment in UTC, on the wall clock.
    public var due: Instant
    /// From then on it can no longer be started; nil = never ends.
    public var expires: Instant?
    /// What a DST change did to `local`: `unique`, `skipped`, `repeated`.
    public var resolution: String
    /// It only signals and is not in the list: a repeat of a sticky task.
    public var isHidden: Bool
    /// False where no signal is given: its time was before the enrolment.
    public var isSignalled: Bool

    /// The record of an occurrence.
    public init(_ occurrence: Occurrence) {
        id = occurrence.id
        task = occurrence.task
        taskIndex = occurrence.taskIndex
        number = occurrence.number
        local = occurrence.local
        due = occurrence.due
        expires = occurrence.expires
        resolution = occurrence.resolution.stored
        isHidden = occurrence.isHidden
        isSignalled = occurrence.isSignalled
    }

    /// The occurrence itself.
    public var occurrence: Occurrence {
        Occurrence(
            id: id, task: task, taskIndex: taskIndex, number: number, local: local, due: due, expires: expires,
            resolution: Zone.Resolution(stored: resolution), isHidden: isHidden, isSignalled: isSignalled)
    }
}

/// An answer given on the panel, with its times.
public struct AnswerRecord: Codable, Sendable, Hashable {
    /// The question's id.
    public var question: String
    /// What was answered, not yet in the wire's spelling.
    public var value: AnswerValue
    /// When its signal began; nil when it was not presented (a drawn or default value).
    public var presented: MonotonicTime?
    /// The press that gave the answer.
    public var answered: MonotonicTime
    /// Presses it took, corrections included.
    public var presses: Int

    public init(question: String, value: AnswerValue, presented: MonotonicTime?, answered: MonotonicTime, presses: Int)
    {
        self.question = question
        self.value = value
        self.presented = presented
        self.answered = answered
        self.presses = presses
    }
}

/// A finished run as it stands in the log.
public struct SubmissionRecord: Codable, Sendable, Hashable {
    /// What it answers; for a sticky task always its first occurrence.
    public var occurrence: OccurrenceRecord
    /// Question ids of all steps in the order of this opening, hidden ones too.
    public var order: [String]
    /// By question id; absent = not answered. Hidden questions keep theirs.
    public var answers: [String: AnswerValue]
    /// Sorted ids of steps that were drawn, whether answered or not.
    public var drawn: [String]
    /// Wall clock of the submission.
    public var submitted: Instant

    /// The record of a submission.
    public init(_ submission: Submission) {
        occurrence = OccurrenceRecord(submission.occurrence)
        order = submission.order
        answers = submission.answers
        drawn = submission.drawn.sorted()
        submitted = submission.submitted
    }
}

/// A clock anchor as it stands in the log.
public struct AnchorRecord: Codable, Sendable, Hashable {
    /// CLOCK_MONOTONIC of the row's boot, read together with `instant`.
    public var monotonic: MonotonicTime
    /// The wall clock at that moment.
    public var instant: Instant
    /// Raw value of `ClockAnchor.Source`; one this version does not know reads as `unknown`.
    public var source: String
    /// The largest error of `instant` that is expected, one side, in nanoseconds.
    public var uncertaintyNanoseconds: Int64
    /// For how long the source had not been heard, in nanoseconds; absent = it vouched at that moment.
    public var carriedNanoseconds: Int64?
    /// The bound of the oscillator's drift, where one was measured: a ratio.
    public var drift: Double?
    /// How long the machine had been suspended in this boot, as the kernel counts it, in nanoseconds; absent in rows of older versions.
    public var sleptNanoseconds: Int64?
    /// How often it had been; absent where the kernel does not say.
    public var suspensions: Int?

    /// The record of an anchor.
    public init(_ anchor: ClockAnchor, drift: Double? = nil) {
        self.drift = drift
        carriedNanoseconds = anchor.carried > .zero ? anchor.carried.nanoseconds : nil
        monotonic = anchor.monotonic
        instant = anchor.instant
        source = anchor.source.rawValue
        uncertaintyNanoseconds = anchor.uncertainty.nanoseconds
    }

    /// The anchor itself; an unknown source vouches for nothing.
    public var anchor: ClockAnchor {
        ClockAnchor(
            monotonic: monotonic, instant: instant, source: ClockAnchor.Source(rawValue: source) ?? .unknown,
            uncertainty: .nanoseconds(uncertaintyNanoseconds),
            carried: .nanoseconds(carriedNanoseconds ?? 0))
    }
}

/// A sealed recording on disk.
public struct RecordingRecord: Codable, Sendable, Hashable {
    /// The recording number as it stands in the file's name; unique on the device.
    public var id: String
    /// Decides the order of sending, and what the disk cap takes first.
    public var itemClass: ItemClass
    /// The raw value of what was measured.
    public var measure: String
    /// Relative to the recordings directory.
    public var path: String
    /// The description beside it, relative to the recordings directory.
    public var descriptionPath: String
    /// SHA-256 of the file, in hexadecimal.
    public var sha256: String
    /// Of the data file alone, as it lies on the disk (text compressed).
    public var bytes: Int64
    /// Nil where the boot never had a trusted clock.
    public var start: Instant?
    /// Wall clock of the last sample; nil where `start` is.
    public var end: Instant?
    /// Samples stored.
    public var stored: Int64
    /// Samples lost, by reason.
    public var lost: [String: Int64]
    /// The boot of `from` and `to`; absent in rows of older versions.
    public var boot: String?
    /// CLOCK_MONOTONIC of the first sample in it or lost by it.
    public var from: MonotonicTime?
    /// CLOCK_MONOTONIC of the last sample.
    public var to: MonotonicTime?
    /// Samples per second; absent for bytes and events.
    public var rate: Double?
    /// True where it was recorded beside a measure, of the same samples: for a task, or a spoken answer.
    public var isExtra: Bool?

    public init(
        id: String, itemClass: ItemClass, measure: String, path: String, descriptionPath: String, sha256: String,
        bytes: Int64, start: Instant?, end: Instant?, stored: Int64, lost: [String: Int64], boot: String? = nil,
        from: MonotonicTime? = nil, to: MonotonicTime? = nil, rate: Double? = nil, isExtra: Bool? = nil
    ) {
        self.boot = boot
        self.from = from
        self.to = to
        self.rate = rate
        self.isExtra = isExtra
        self.id = id
        self.itemClass = itemClass
        self.measure = measure
        self.path = path
        self.descriptionPath = descriptionPath
        self.sha256 = sha256
        self.bytes = bytes
        self.start = start
        self.end = end
        self.stored = stored
        self.lost = lost
    }
}
