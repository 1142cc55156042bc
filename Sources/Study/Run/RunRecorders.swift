// SPDX-License-Identifier: Apache-2.0
import Base

/// Which of a task's recorders run, and since when: for `TaskRun`. Pure: steps and times go in, starts and
/// stops come out.
///
/// ```
///  ───▶ idle ── its start step begins ──▶ running ── its stop step is over, its time is over, the run ends ──▶ idle
/// ```
package struct RunRecorders: Sendable {
    /// One time that a recorder ran.
    package struct Span: Sendable, Hashable {
        /// Which recorder, and at which step.
        package let recording: TaskRecording
        /// When it was started; CLOCK_MONOTONIC.
        package let began: MonotonicTime
        /// When it was stopped; nil while it runs.
        package internal(set) var ended: MonotonicTime?
    }

    private let recorders: [TaskRecorder]
    private let run: String
    private let task: String
    private var hasBegun = false
    /// In the order of starting.
    package private(set) var spans: [Span] = []

    /// The recorders of that task, of which none runs. `run` is unique on the device.
    package init(_ task: StudyTask, run: String) {
        recorders = task.recorders
        self.run = run
        self.task = task.key
    }

    /// When the next one's time is over.
    package var wake: MonotonicTime? { spans.compactMap(\.end).min() }

    /// A step is presented: what it starts. One that runs already goes on.
    mutating func present(_ step: String, at now: MonotonicTime) -> [TaskRecording] {
        defer { hasBegun = true }
        let due = recorders.filter { $0.startStep.map { $0 == step } ?? !hasBegun }
        let starting = due.filter { !isRunning($0) }.map { recorder in
            let count = spans.count { $0.recording.recorder.identifier == recorder.identifier } + 1
            return TaskRecording(
                id: "\(run)/\(recorder.identifier)/\(count)", run: run, task: task, step: step, recorder: recorder)
        }
        spans += starting.map { Span(recording: $0, began: now) }
        return starting
    }

    /// A step is left for another one or for the review, or its time is over: the ids of what it stops.
    mutating func leave(_ step: String, at now: MonotonicTime) -> [String] {
        stop(at: now) { $0.recording.recorder.stopStep == step }
    }

    /// The ids of those that are over.
    mutating func tick(at now: MonotonicTime) -> [String] {
        stop(at: now) { span in span.end.map { $0 <= now } ?? false }
    }

    /// The run ends: the ids of all that still run.
    mutating func end(at now: MonotonicTime) -> [String] { stop(at: now) { _ in true } }

    private func isRunning(_ recorder: TaskRecorder) -> Bool {
        spans.contains { $0.ended == nil && $0.recording.recorder == recorder }
    }

    private mutating func stop(at now: MonotonicTime, where isDue: (Span) -> Bool) -> [String] {
        let due = spans.indices.filter { spans[$0].ended == nil && isDue(spans[$0]) }
        for index in due { spans[index].ended = now }
        return due.map { spans[$0].recording.id }
    }
}

extension RunRecorders.Span {
    /// When its time is over; nil without a limit and once it has ended.
    fileprivate var end: MonotonicTime? { ended == nil ? recording.recorder.duration.map { began + $0 } : nil }
}
