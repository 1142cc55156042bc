// SPDX-License-Identifier: Apache-2.0
import Base

/// The wall clock as `StudyCore` has read it since the start, and what waits until it is trusted.
struct WallClock: Sendable {
    /// What asks for a new anchor.
    enum Change {
        /// The first reading, another source, a change of trust, or five minutes since the last anchor.
        case news
        /// By how much it was set; positive = ahead.
        case step(Duration)
    }

    /// Readings since the start; of many, the first and the latest ones are kept.
    private(set) var anchors: [ClockAnchor] = []
    /// The last anchor was good enough for prompts (`ClockReading.isGood`).
    private(set) var isTrusted = false
    /// What is odd about it, as it was reported last.
    private(set) var note: String?
    /// Files that are sealed once the clock is trusted.
    private var waiting: [RecordingDescription] = []
    /// When the device was off, where that is still to be reported.
    private(set) var off: (since: Instant, until: MonotonicTime)?

    /// What has changed since the last anchor; nil = nothing that matters.
    func change(in reading: ClockReading) -> Change? {
        guard let last = anchors.last else { return .news }
        let now = reading.moment
        let step = now.instant - last.instant(at: now.monotonic)
        // Less is taken for drift, which the next anchor corrects.
        if step.magnitude > .milliseconds(500) { return .step(step) }
        let isNews = reading.anchor.source != last.source || reading.isGood != isTrusted
        return isNews || now.monotonic - last.monotonic > .seconds(300) ? .news : nil
    }

    /// Adds the reading; true where it changes whether the clock is trusted.
    mutating func addAnchor(_ reading: ClockReading) -> Bool {
        anchors.append(reading.anchor)
        if anchors.count > 256 { anchors.removeSubrange(1..<129) }
        defer { isTrusted = reading.isGood }
        return reading.isGood != isTrusted
    }

    /// How far off times since `began` can be, to either side, in seconds; computed as for the files
    /// recorded then. nil where no reading since the start was trusted.
    func error(since began: Instant, until now: Moment) -> Double? {
        guard let latest = anchors.last(where: \.isTrusted) else { return nil }
        let start = now.monotonic - max(.zero, now.instant - began)
        return WallClockError(by: latest, anchors).bound(from: start, to: now.monotonic)
    }

    mutating func wait(for files: [RecordingDescription]) { waiting += files }

    mutating func takeWaiting() -> [RecordingDescription] {
        defer { waiting = [] }
        return waiting
    }

    mutating func noteOff(_ span: (since: Instant, until: MonotonicTime)) { off = span }

    mutating func takeOff() -> (since: Instant, until: MonotonicTime)? {
        defer { off = nil }
        return off
    }

    /// Keeps what is odd; true where nothing was odd before.
    mutating func setNote(_ note: String?) -> Bool {
        defer { self.note = note }
        return note != nil && self.note == nil
    }
}
