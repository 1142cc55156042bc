// SPDX-License-Identifier: Apache-2.0
import Base

// Names of properties in this file are the log's format: rename none, and make new ones optional (`StudyEvent`).

/// The enrolment of a participant in a study, with where the study came from.
package struct EnrolmentRecord: LoggedRecord {
    /// Unique on the device; what every stamp's `enrolment` refers to.
    package var id: String
    /// The study's own identifier, sent with every record.
    package var studyID: String
    /// The pseudonym as the platform writes it.
    package var participant: String
    /// The arm drawn; nil where the study has none.
    package var condition: String?
    /// Wall clock of the enrolment.
    package var instant: Instant
    /// What the participant's wall clock showed then; the plan counts days from it.
    package var local: LocalDateTime
    /// The zone of that wall clock, by its name in the tz database; nil = the offset that
    /// `local` has, for good.
    package var zone: String?
    /// The seed of what is drawn by chance in the enrolment (`Chance`): 32 bytes in hexadecimal.
    package var seed: String
    /// The raw value of the study's platform.
    package var platform: String
    /// Path or URL as given to `enroll`.
    package var source: String
    /// SHA-256 of the study's file as it was received, in hexadecimal; its bytes are kept under it.
    package var fileDigest: String
    /// Where records go instead of the study's own address; nil = the study's.
    package var postURL: String?
    /// SHA-256 of the rules given with it, in hexadecimal; their bytes are kept under it. nil = there are none.
    package var rules: String?
    /// The moment of the enrolment by the clock of its boot, where the wall clock was not trusted: `dated`
    /// corrects `instant` and `local` by it. nil = the date is certain.
    package var undated: BootTime?
    /// Keys of tasks that the assistant left out, since this board cannot ask them; nil = none.
    package var without: [String]?
    /// How long the participant holds buttons; nil = as usual.
    package var holdTimes: HoldTimes?
    /// The public half of the key that the device signs with, 64 hexadecimal digits; nil = it signs
    /// nothing.
    package var deviceKey: String?

    /// A moment that only the clock of one boot tells.
    package struct BootTime: LoggedRecord {
        /// The kernel's id of the boot.
        package let bootID: String
        /// CLOCK_MONOTONIC of it.
        package let monotonic: MonotonicTime

        package init(bootID: String, monotonic: MonotonicTime) { (self.bootID, self.monotonic) = (bootID, monotonic) }
    }

    /// The same enrolment, now that its date is certain.
    package func dated(_ instant: Instant, _ local: LocalDateTime) -> EnrolmentRecord {
        var record = self
        (record.instant, record.local, record.undated) = (instant, local, nil)
        return record
    }

    /// The `what` of the `StudyEvent.drawn` that draws the arm.
    package static let arm = "condition"

    /// Sets the arm that was drawn; empty = none.
    package mutating func setArm(_ arm: String) { condition = arm.isEmpty ? nil : arm }

    package init(
        _ enrolment: Enrolment, platform: PlatformName, source: String, fileDigest: Digest, postURL: String? = nil
    ) {
        id = enrolment.id
        studyID = enrolment.studyID
        participant = enrolment.participant.text
        condition = enrolment.condition
        instant = enrolment.instant
        local = enrolment.local
        zone = enrolment.zone.identifier
        seed = enrolment.seed.hexadecimal
        self.platform = platform.rawValue
        self.source = source
        self.fileDigest = fileDigest.description
        self.postURL = postURL
    }
}

extension EnrolmentRecord {
    /// The enrolment itself, in the zone that `zone` names; nil where the seed is no hexadecimal.
    /// Without a zone it is the offset of that day for good.
    package func enrolment(in zone: Zone?) -> Enrolment? {
        [UInt8](hexadecimal: seed).map {
            Enrolment(
                id: id, studyID: studyID, participant: ParticipantID(participant), condition: condition,
                instant: instant, local: local, zone: zone, seed: $0)
        }
    }
}

/// An occurrence as the log has it.
package struct OccurrenceRecord: LoggedRecord {
    /// `<task key>/<number>`, unique in the enrolment.
    package var id: String
    package var task: String
    /// The task's zero-based position in the study's file.
    private var taskIndex: Int
    /// The platform's running number; schema's begin at 101.
    package var number: Int
    /// What the participant's wall clock shows when it is due.
    private var local: LocalDateTime
    /// The same moment in UTC, on the wall clock.
    package var due: Instant
    /// From then on it can no longer be started; nil = never ends.
    private var expires: Instant?
    /// What a DST change did to `local` (`Zone.Resolution`); an unknown word reads as `unique`.
    private var resolution: String
    /// It only signals and is not in the list: a repeat of a sticky task.
    private var isHidden: Bool
    /// False where no signal is given: it is only open for a while, or its time was before the enrolment.
    private var isSignalled: Bool
    /// True where it only told something, so that it is no prompt; nil for all others.
    private var isNotice: Bool?

    package init(_ occurrence: Occurrence) {
        id = occurrence.id
        task = occurrence.task
        taskIndex = occurrence.taskIndex
        number = occurrence.number
        local = occurrence.local
        due = occurrence.due
        expires = occurrence.expires
        resolution = occurrence.resolution.rawValue
        isHidden = occurrence.isHidden
        isSignalled = occurrence.isSignalled
        isNotice = occurrence.notice.map { _ in true }
    }

    package var occurrence: Occurrence {
        Occurrence(
            id: id, task: task, taskIndex: taskIndex, number: number, local: local, due: due, expires: expires,
            resolution: Zone.Resolution(rawValue: resolution) ?? .unique, isHidden: isHidden, isSignalled: isSignalled)
    }
}

/// An answer given on the panel, with its times.
package struct AnswerRecord: LoggedRecord {
    package var question: String
    /// What was answered, not yet in the wire's spelling.
    package var value: AnswerValue
    /// When its signal began; nil when it was not presented (a drawn or default value).
    package var presented: MonotonicTime?
    /// When the last press of the answer was recognised: at its release, or when a hold counted.
    package var answered: MonotonicTime
    /// Presses it took, corrections included.
    package var presses: Int
}

/// A finished run as the log has it.
package struct SubmissionRecord: LoggedRecord {
    /// What it answers; for a sticky task (which may be done again and again) always its first occurrence.
    private var occurrence: OccurrenceRecord
    /// Question ids of all steps in the order of this opening, hidden ones too.
    package var order: [String]
    /// By question id; absent = not answered. Hidden questions keep theirs.
    package var answers: [String: AnswerValue]
    /// Sorted ids of steps that were drawn, whether answered or not.
    private var drawn: [String]
    /// Wall clock of the submission.
    package var submitted: Instant
    /// When its first step was first presented, by the same clock; absent in rows of older versions.
    package var began: Instant?

    package init(_ submission: Submission) {
        occurrence = OccurrenceRecord(submission.occurrence)
        order = submission.order
        answers = submission.answers
        drawn = submission.drawn.sorted()
        submitted = submission.submitted
        began = submission.course?.began
    }

    package var occurrenceID: String { occurrence.id }
}

/// A clock anchor as the log has it.
package struct AnchorRecord: LoggedRecord {
    /// CLOCK_MONOTONIC of the row's boot, read together with `instant`.
    private var monotonic: MonotonicTime
    /// The wall clock at that moment.
    package var instant: Instant
    /// Raw value of `ClockAnchor.Source`; one this version does not know reads as `unknown`.
    private var source: String
    /// The largest error of `instant` that is expected, one side, in nanoseconds.
    private var uncertaintyNanoseconds: Int64
    /// For how long the source had not been heard, in nanoseconds; absent = it was heard at that
    /// moment.
    package var carriedNanoseconds: Int64?
    /// The bound of the oscillator's drift, where one was measured: a ratio.
    package var drift: Double?
    /// How long the machine had been suspended in this boot, as the kernel counts it, in
    /// nanoseconds; absent in rows of older versions.
    package var sleptNanoseconds: Int64?
    /// How often it had been suspended; absent where the kernel does not say.
    package var suspensions: Int?

    /// The record of an anchor, with what a later start has to know of the kernel's
    /// clocks at that moment.
    package init(_ anchor: ClockAnchor, drift: Double? = nil, marks: ClockMarks? = nil) {
        self.drift = drift
        sleptNanoseconds = marks?.slept.nanoseconds
        suspensions = marks?.suspensions
        carriedNanoseconds = anchor.carried > .zero ? anchor.carried.nanoseconds : nil
        monotonic = anchor.monotonic
        instant = anchor.instant
        source = anchor.source.rawValue
        uncertaintyNanoseconds = anchor.uncertainty.nanoseconds
    }

    /// The anchor itself; an unknown source is trusted for nothing.
    package var anchor: ClockAnchor {
        ClockAnchor(
            monotonic: monotonic, instant: instant, source: ClockAnchor.Source(rawValue: source) ?? .unknown,
            uncertainty: .nanoseconds(uncertaintyNanoseconds),
            carried: .nanoseconds(carriedNanoseconds ?? 0))
    }
}

/// A sealed recording on disk.
package struct RecordingRecord: LoggedRecord {
    /// The recording number, as in the file's name; unique on the device.
    package var id: String
    /// Decides the order of sending, and what the disk cap takes first.
    package var itemClass: ItemClass
    /// The raw value of what was measured.
    package var measure: String
    /// Relative to the recordings directory.
    package var path: String
    /// The description beside it, relative to the recordings directory.
    package var descriptionPath: String
    /// SHA-256 of the file, in hexadecimal.
    package var sha256: String
    /// Of the data file alone, as it lies on the disk (text compressed).
    package var bytes: Int64
    /// Wall clock of the first sample; nil where the boot never had a trusted clock.
    private var start: Instant?
    /// Wall clock of the last sample; nil where `start` is.
    package var end: Instant?
    /// Samples in the file.
    package var stored: Int64
    /// Samples lost, by reason.
    package var lost: [String: Int64]
    /// The boot of `from` and `to`; absent in rows of older versions.
    package var boot: String?
    /// CLOCK_MONOTONIC of the first sample in it or lost by it.
    package var from: MonotonicTime?
    /// CLOCK_MONOTONIC of the last sample.
    package var to: MonotonicTime?
    /// Samples per second; absent for bytes and events.
    package var rate: Double?
    /// True where it was recorded beside a measure, of the same samples: for a task, or
    /// a spoken answer.
    package var isExtra: Bool?

    package init(
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
