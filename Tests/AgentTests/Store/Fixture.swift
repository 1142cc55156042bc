// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

@testable import Agent
@testable import Study

/// A small life of a study, told in events.
enum Fixture {
    static func stamp(_ second: Int64, enrolment: String = "e1") -> EventStamp {
        EventStamp(
            wall: Instant(seconds: 1_800_000_000 + second),
            monotonic: MonotonicTime(nanoseconds: second * 1_000_000_000),
            bootID: "boot-1", zoneOffset: 3600, enrolment: enrolment)
    }

    static let enrolment = Enrolment(
        id: "e1", studyID: "study", participant: ParticipantID("ABC23456"), condition: "Control",
        instant: Instant(seconds: 1_800_000_000),
        local: LocalDateTime(Instant(seconds: 1_800_000_000), offset: 3600), seed: (0..<32).map { UInt8($0) })

    static func occurrence(_ number: Int, task: String = "mood") -> Occurrence {
        let due = Instant(seconds: 1_800_000_000 + Int64(number) * 3600)
        return Occurrence(
            id: "\(task)/\(number)", task: task, taskIndex: 2, number: 100 + number,
            local: LocalDateTime(due, offset: 3600), due: due, expires: due + .seconds(600), resolution: .repeated)
    }

    static func record(_ number: Int) -> OccurrenceRecord { OccurrenceRecord(occurrence(number)) }

    static func request(_ text: String) -> WireRequest {
        WireRequest(
            method: "POST", url: "http://example.invalid/post",
            headers: [.init(name: "Content-Type", value: "text/plain")],
            body: Array(text.utf8))
    }

    static func draft(_ origin: String, _ itemClass: ItemClass = .answers, body: String? = nil) -> OutboxDraft {
        OutboxDraft(
            origin: origin, itemClass: itemClass, destination: "study", content: .request(request(body ?? origin)))
    }

    static func recording(_ id: String, _ itemClass: ItemClass, bytes: Int64 = 100) -> RecordingRecord {
        RecordingRecord(
            id: id, itemClass: itemClass, measure: "accelerometer", path: "\(id).cwa", descriptionPath: "\(id).json",
            sha256: String(repeating: "0", count: 64), bytes: bytes, start: nil, end: Instant(seconds: 1_800_000_100),
            stored: 1000, lost: ["ring-full": 3, "bus-error": 2])
    }

    static func file(of recording: RecordingRecord) -> OutboxDraft {
        OutboxDraft(
            origin: "recording \(recording.id)", itemClass: recording.itemClass, destination: "files",
            content: .file(
                FileReference(
                    path: recording.path, sha256: recording.sha256, bytes: recording.bytes,
                    contentType: "application/octet-stream", recording: recording.id)))
    }

    static let answers: Answers = [
        "happy": .number(0.1), "why": .text("żółć \"quoted\"\n{}"), "when": .dateTime(enrolment.local),
        "what": .choices(["b", "a"]), "sure": .boolean(false), "gone": .cleared, "memo": .recording("17"),
    ]

    static let submission = Submission(
        task: "mood", occurrence: occurrence(1), order: ["happy", "why"], answers: answers, drawn: ["happy"],
        submitted: Instant(seconds: 1_800_000_060))

    static let enrolled = StudyEvent.enrolled(
        enrolment: EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: Digest(bytes: [UInt8](repeating: 9, count: 32)) ?? (try! Digest(of: []))))

    /// One of every kind, in an order that makes sense.
    static let everything: [StudyEvent] = [
        .agentStarted(version: "1"), enrolled, .consented(name: "main", version: "2", choice: "share"),
        .drawn(what: "condition", value: "Control", probabilities: ["Control": 0.5, "Treatment": 0.5]),
        .anchored(
            anchor: AnchorRecord(
                ClockAnchor(
                    monotonic: .zero, instant: enrolment.instant, source: .kernel, uncertainty: .milliseconds(5)))),
        .clockStepped(nanoseconds: -3_600_000_000_000),
        .variableSet(name: "count", value: .number(3)), .serverFact(name: "update", text: "v2"),
        .promptsSwitched(on: false),
        .prompted(occurrence: record(1)), .presented(occurrence: "mood/1"),
        .pressed(button: 1, at: MonotonicTime(nanoseconds: 9_007_199_254_740_993)),
        .released(button: 1, at: MonotonicTime(nanoseconds: 9_007_199_254_740_994)),
        .listOpened, .listLeft, .graphsOpened, .graphsLeft, .menuOpened, .menuLeft,
        .runOpened(task: "mood", opening: 1, occurrence: "mood/1"),
        .answered(
            task: "mood", opening: 1,
            answer: AnswerRecord(
                question: "happy", value: .number(0.1), presented: .zero, answered: MonotonicTime(nanoseconds: 5),
                presses: 3)),
        .submitted(task: "mood", opening: 1, submission: SubmissionRecord(submission)),
        .runLeft(task: "mood", opening: 1), .concluded(occurrence: record(1), outcome: .completed),
        .runOpened(task: "kick", opening: 1, occurrence: nil),
        .taskProgress(task: "kick", opening: 1, name: "kick", at: MonotonicTime(nanoseconds: 7), values: ["n": 1]),
        .concluded(occurrence: record(2), outcome: .missed(.deviceOff)), .prompted(occurrence: record(3)),
        .gap(source: "sound", reason: "stall", from: .zero, to: MonotonicTime(nanoseconds: 1), samples: 48),
        .recordingSealed(recording: recording("1", .motion)), .recordingSealed(recording: recording("2", .sound)),
        .recordingRemoved(recording: "2", reason: .byHand), .fault(place: "bus", message: "no acknowledge"),
        .salvaged(record: SalvageRecord(cause: "zeros", setAside: "damaged/1", log: nil, kept: 7)),
        .agentStopped(reason: "SIGTERM"), .promptPutOff(occurrence: "mood/1"),
        .occurrencesReturned(occurrences: ["mood/9", "mood/10"]),
        .marked(button: "red", at: MonotonicTime(nanoseconds: 11)),
        .sensorsPaused(at: MonotonicTime(nanoseconds: 12), seconds: 1800),
        .sensorsResumed(at: MonotonicTime(nanoseconds: 13), byHand: true),
    ]
}
