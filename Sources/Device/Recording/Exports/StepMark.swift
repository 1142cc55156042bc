// SPDX-License-Identifier: Apache-2.0

/// The beginning of a step of a task, as the logs of its recorders mark it (`MotionLog`, `LevelLog`,
/// `SageJSONLocationExporter`); `RequestPacker` makes it.
package struct StepMark: Sendable, Hashable {
    /// CLOCK_MONOTONIC in seconds.
    package let uptime: Double
    /// `task/section/step`.
    package let path: String
    /// RFC 3339 with milliseconds and offset.
    package let date: String

    package init(uptime: Double, path: String, date: String) {
        self.uptime = uptime
        self.path = path
        self.date = date
    }
}

/// Hands out a recorder's step marks, in the order of time, while its samples are written.
struct StepMarks {
    private let marks: [StepMark]
    private var next = 0
    /// The path of the current step.
    private(set) var path: String
    /// When the recorder was started.
    let start: Double

    /// Samples before the first mark belong to the step of that mark. `path` and `start` are used where there are
    /// no marks.
    init(_ marks: [StepMark], path: String, start: Double) {
        self.marks = marks
        self.path = marks.first?.path ?? path
        self.start = marks.first?.uptime ?? start
    }

    /// Makes the step at `uptime` the current one. Returns the marks up to then that were not returned before; the
    /// first call returns the first mark in any case.
    @discardableResult
    mutating func advance(to uptime: Double) -> ArraySlice<StepMark> {
        let first = next
        while next < marks.count, marks[next].uptime <= uptime || next == 0 { next += 1 }
        if next > first { path = marks[next - 1].path }
        return marks[first..<next]
    }

    mutating func advanceToEnd() -> ArraySlice<StepMark> { advance(to: .infinity) }
}
