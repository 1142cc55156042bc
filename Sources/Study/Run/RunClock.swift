// SPDX-License-Identifier: Apache-2.0
import Base

/// The time limits of a run: of a voice memo, a question, a section, and of the time without a press, after
/// which the participant is reminded and then the run interrupted. `TaskRun` asks it. Pure.
struct RunClock: Sendable {
    enum Due: Sendable {
        case sectionOver, questionOver
        /// `RunLimits.warning` before the question is over.
        case questionRunsOut
        case reminder, interruption
    }

    private let limits: RunLimits
    /// What the participant's wall clock showed when the run began.
    private let start: LocalDateTime
    private(set) var began = MonotonicTime.zero
    private var lastPress = MonotonicTime.zero
    private var isReminded = false
    private var isWarned = false
    private var section: Int?
    private var sectionEnd: MonotonicTime?
    private var questionEnd: MonotonicTime?
    /// The voice memo under way, and when it is full. While it goes on nothing else has a limit.
    private var recording: (id: String, end: MonotonicTime)?

    init(_ limits: RunLimits, start: LocalDateTime) { (self.limits, self.start) = (limits, start) }

    mutating func begin(at now: MonotonicTime) { (began, lastPress) = (now, now) }

    mutating func press(at now: MonotonicTime) { (lastPress, isReminded) = (now, false) }

    mutating func openQuestion(mayBeLeftOut: Bool, at now: MonotonicTime) {
        isWarned = false
        questionEnd = mayBeLeftOut ? limits.question.map { now + $0 } : nil
    }

    /// Starts a section's limit, after which it is left by itself; nil = none. A section that is open
    /// already keeps its end.
    mutating func openSection(_ number: Int, limit: Duration?, at now: MonotonicTime) {
        guard number != section else { return }
        (section, sectionEnd) = (number, limit.map { now + $0 })
    }

    mutating func startRecording(_ id: String, at now: MonotonicTime) { recording = (id, now + limits.recording) }
    /// Ignored for another recording than the one under way.
    mutating func stopRecording(_ id: String) { if recording?.id == id { recording = nil } }
    var isRecording: Bool { recording != nil }
    func isRecordingFull(at now: MonotonicTime) -> Bool { recording.map { $0.end <= now } ?? false }

    /// When `takeDue` has something to give; `isAsking` = a question is open.
    func wake(isAsking: Bool) -> MonotonicTime {
        if let recording { return recording.end }
        let noPress = lastPress + (isReminded ? limits.interruption : limits.reminder)
        guard isAsking else { return noPress }
        let warning = questionEnd.map { isWarned ? $0 : $0 - limits.warning }
        return [noPress, sectionEnd, warning].compactMap(\.self).min() ?? noPress
    }

    /// What is due now. A reminder and a warning are given once; an end and an interruption until the
    /// caller acts on them.
    mutating func takeDue(isAsking: Bool, at now: MonotonicTime) -> [Due] {
        if isAsking, let sectionEnd, sectionEnd <= now {
            // The next section gets the whole time without a press.
            lastPress = max(lastPress, now)
            return [.sectionOver]
        }
        if isAsking, let questionEnd, questionEnd <= now { return [.questionOver] }
        var due: [Due] = []
        if isAsking, !isWarned, let questionEnd, questionEnd - limits.warning <= now {
            isWarned = true
            due.append(.questionRunsOut)
        }
        if lastPress + limits.interruption <= now { return due + [.interruption] }
        if !isReminded, lastPress + limits.reminder <= now {
            isReminded = true
            due.append(.reminder)
        }
        return due
    }

    /// What the participant's wall clock shows, unless it was moved since the run began.
    func local(at now: MonotonicTime) -> LocalDateTime { start.adding(now - began) }
}
