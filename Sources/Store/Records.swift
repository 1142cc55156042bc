// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// An enrolment with where its study came from.
public struct EnrolmentRecord: Codable, Sendable, Hashable {
    public var id: String
    public var studyID: String
    public var participant: String
    public var condition: String?
    public var instant: Instant
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
        _ enrolment: Enrolment, platform: StudyPlatform, source: String, fileDigest: Digest, postURL: String? = nil
    ) {
        id = enrolment.id
        studyID = enrolment.studyID
        participant = enrolment.participant.text
        condition = enrolment.condition
        instant = enrolment.instant
        local = enrolment.local
        seed = hexadecimal(enrolment.seed)
        self.platform = platform.rawValue
        self.source = source
        self.fileDigest = fileDigest.description
        self.postURL = postURL
    }

    /// The enrolment itself; nil where the seed is no hexadecimal.
    public var enrolment: Enrolment? {
        bytes(hexadecimal: seed).map {
            Enrolment(
                id: id, studyID: studyID, participant: ParticipantID(participant), condition: condition,
                instant: instant, local: local, seed: $0)
        }
    }
}

/// An occurrence as it stands in the log.
public struct OccurrenceRecord: Codable, Sendable, Hashable {
    public var id: String
    public var task: String
    public var taskIndex: Int
    public var number: Int
    public var local: LocalDateTime
    public var due: Instant
    public var expires: Instant?
    public var resolution: String
    public var isHidden: Bool
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
    public var value: AnswerValue
    /// When its signal began; nil when it was not presented (a drawn or default value).
    public var presented: MonotonicTime?
    /// The press that gave the answer.
    public var answered: MonotonicTime
    /// Presses it took, corrections included.
    public var presses: Int

    /// An answer of these parts.
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
    public var occurrence: OccurrenceRecord
    public var order: [String]
    public var answers: [String: AnswerValue]
    public var drawn: [String]
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
    public var monotonic: MonotonicTime
    public var instant: Instant
    public var source: String
    public var uncertaintyNanoseconds: Int64

    /// The record of an anchor.
    public init(_ anchor: ClockAnchor) {
        monotonic = anchor.monotonic
        instant = anchor.instant
        source = anchor.source.rawValue
        uncertaintyNanoseconds = anchor.uncertainty.nanoseconds
    }

    /// The anchor itself; an unknown source vouches for nothing.
    public var anchor: ClockAnchor {
        ClockAnchor(
            monotonic: monotonic, instant: instant, source: ClockAnchor.Source(rawValue: source) ?? .unknown,
            uncertainty: .nanoseconds(uncertaintyNanoseconds))
    }
}

/// A sealed recording on disk.
public struct RecordingRecord: Codable, Sendable, Hashable {
    /// The recording number as it stands in the file's name; unique on the device.
    public var id: String
    public var itemClass: ItemClass
    /// The raw value of what was measured.
    public var measure: String
    /// Relative to the recordings directory.
    public var path: String
    /// The description beside it, relative to the recordings directory.
    public var descriptionPath: String
    /// SHA-256 of the file, in hexadecimal.
    public var sha256: String
    public var bytes: Int64
    /// Nil where the boot never had a trusted clock.
    public var start: Instant?
    public var end: Instant?
    /// Samples stored.
    public var stored: Int64
    /// Samples lost, by reason.
    public var lost: [String: Int64]

    /// A recording of these parts.
    public init(
        id: String, itemClass: ItemClass, measure: String, path: String, descriptionPath: String, sha256: String,
        bytes: Int64, start: Instant?, end: Instant?, stored: Int64, lost: [String: Int64]
    ) {
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
