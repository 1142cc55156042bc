// SPDX-License-Identifier: Apache-2.0
import Base

/// Puts together what belongs to one submitted run: its answers, its course, and what was
/// recorded for it. `StudyCore` makes one when the submission is committed. Pure.
struct RunResult: Sendable {
    let submission: Submission
    let task: StudyTask
    let enrolment: String
    let zone: Zone
    /// What was recorded, in the order of ending.
    let recorded: [TaskRecorded]
    /// Files of the same run from before a restart.
    let earlier: [SealedRecording]
    let memos: [SealedRecording]
    /// SHA-256, passed in because this module has no cryptography.
    let digest: @Sendable ([UInt8]) -> [UInt8]
    /// `RunNumbering.count`, 1 where the task has none.
    var numbering = 1

    /// The tree, ready to be kept; nil where the course of the run is not known.
    var entry: ResultEntry? {
        guard let course = submission.course else { return nil }
        let tree = ResultTree(
            submission, of: task, version: task.wireName, runUUID: Self.uuid(course.id, digest), zone: zone,
            clockError: submission.clockError, files: files, failures: failures(course),
            // The tree names a spoken answer by its step.
            memos: Dictionary(memos.map { ($0.memo ?? "", file($0, named: "")) }) { first, _ in first })
        return tree.map {
            ResultEntry(
                enrolment: enrolment, task: task.key, run: submission.run, tree: $0.json, numbering: numbering,
                prompted: submission.prompt.flatMap { $0.isSignalled ? $0.due : nil })
        }
    }

    /// For the study's server: the files from before a restart, then what became of each recording, in the
    /// order of starting.
    var recordings: [RunRecording] {
        let before = earlier.map { sealed in
            let file = runFile(sealed)
            return RunRecording(
                recorder: sealed.description.task?.recorders.first ?? "", began: file.start,
                ended: Self.instant(sealed.description.endDate) ?? file.start, files: [file], failures: [])
        }
        let spans = submission.course?.recorded ?? []
        return before
            + spans.map { span in
                RunRecording(
                    recorder: span.recording.recorder.identifier, began: span.began, ended: span.ended,
                    files: reported(span)?.files.map(runFile) ?? [],
                    failures: failures(of: span, notReady: "its file was not ready when the run was submitted"))
            }
    }

    /// The sound of spoken answers, by their ids.
    var spoken: [String: RunRecording.File] {
        Dictionary(memos.map { ($0.memo ?? "", runFile($0)) }) { first, _ in first }
    }

    // MARK: - What was not recorded

    /// What became of it; nil where that was not reported by the time of the submission.
    private func reported(_ span: RunCourse.Recorded) -> TaskRecorded? {
        recorded.first { $0.recording.id == span.recording.id }
    }

    private func failures(of span: RunCourse.Recorded, notReady: String) -> [RunRecording.Failure] {
        guard let reported = reported(span) else {
            return span.recording.recorder.kinds.map { .init(kind: $0, isMeasured: true, message: notReady) }
        }
        return reported.failures
    }

    private func failures(_ course: RunCourse) -> [ResultTree.Failure] {
        course.recorded.flatMap { span in
            failures(of: span, notReady: "its file was not ready when the answers were submitted").map {
                ResultTree.Failure(
                    identifier: Self.name(span.recording.recorder, $0.kind.rawValue), startDate: span.began,
                    endDate: span.ended, message: $0.message, code: $0.code)
            }
        }
    }

    // MARK: - Files

    private func runFile(_ sealed: SealedRecording) -> RunRecording.File {
        let description = sealed.description
        return RunRecording.File(
            path: description.relativePath,
            // An encrypted file is decrypted before it is sent to the study's server.
            contentType: description.age?.contentType ?? description.contentType,
            bytes: sealed.bytes, startUptime: description.startUptime,
            start: Self.instant(description.startDate) ?? submission.submitted)
    }

    private var files: [ResultTree.File] {
        earlier.map { file($0, named: Self.name($0.description.task?.recorders ?? [], $0.description.kind)) }
            + recorded.flatMap { recorded in
                recorded.files.map { file($0, named: Self.name(recorded.recording.recorder, $0.description.kind)) }
            }
    }

    private func file(_ sealed: SealedRecording, named identifier: String) -> ResultTree.File {
        let description = sealed.description
        return ResultTree.File(
            identifier: identifier, startDate: Self.instant(description.startDate),
            endDate: Self.instant(description.endDate), startUptime: description.startUptime,
            relativePath: description.relativePath, contentType: description.contentType)
    }

    private static func instant(_ date: String?) -> Instant? { date.flatMap { try? Instant(rfc3339: $0) } }

    /// The name in the result: with the kind where one recorder has several.
    private static func name(_ recorder: TaskRecorder, _ kind: String) -> String {
        recorder.kinds.count > 1 ? "\(recorder.identifier)_\(kind)" : recorder.identifier
    }

    /// The name of a file from before a restart, by the identifiers of its recorders.
    private static func name(_ recorders: [String], _ kind: String) -> String {
        "\(recorders.joined(separator: "_"))_\(kind)"
    }

    /// The same whenever it is made for the same run: version 8 of RFC 9562, from a digest of its name.
    static func uuid(_ run: String, _ digest: ([UInt8]) -> [UInt8]) -> String {
        var bytes = Array(digest(Array("run \(run)".utf8)).prefix(16))
        guard bytes.count == 16 else { return "" }
        bytes[6] = bytes[6] & 0x0F | 0x80  // version 8
        bytes[8] = bytes[8] & 0x3F | 0x80  // variant 10
        let hex = bytes.hexadecimal.uppercased()
        // Groups of 8, 4, 4, 4 and 12 digits.
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { hex.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }
}
