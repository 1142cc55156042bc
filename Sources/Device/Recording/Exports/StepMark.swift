// SPDX-License-Identifier: Apache-2.0

/// The beginning of a step of a task, which is marked in the logs of recorders.
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

/// The marks of a recorder's time, in order.
struct StepMarks {
    private let marks: [StepMark]
    private var next = 0
    /// Of the current step.
    private(set) var path: String
    /// When the recorder was started.
    let start: Double

    /// What lies before the first mark belongs to its step. Without marks `path` and `start` hold.
    init(_ marks: [StepMark], path: String, start: Double) {
        self.marks = marks
        self.path = marks.first?.path ?? path
        self.start = marks.first?.uptime ?? start
    }

    /// Goes on to that time; the marks up to it that were not given out before.
    @discardableResult
    mutating func advance(to uptime: Double) -> ArraySlice<StepMark> {
        let first = next
        while next < marks.count, marks[next].uptime <= uptime || next == 0 { next += 1 }
        if next > first { path = marks[next - 1].path }
        return marks[first..<next]
    }

    /// Those behind the last sample.
    mutating func advanceToEnd() -> ArraySlice<StepMark> { advance(to: .infinity) }
}
