// SPDX-License-Identifier: Apache-2.0
import Base

/// What the panel knows of the device, and the sign of life that shows it while the panel is idle: a short
/// light signal every few seconds. `PanelSession` keeps it. Pure.
struct PanelStatus: Sendable {
    /// The span within which nothing that is measured is kept; nil while the sensors are not
    /// paused.
    var pause: Range<MonotonicTime>?
    var isRecording = false
    var isClockKnown: Bool
    /// The stick may be pulled out now.
    var isRemovable = false
    /// When the next sign of life is due.
    private(set) var nextSign: MonotonicTime
    /// The fault that lasts, in the words of its event; nil = none.
    private var fault: String?
    /// Toggles with each sign of life: every other one shows a condition that passes by itself
    /// (`Cue.isQuietCondition`), if there is one, and those between show that the device lives or
    /// records.
    private var showsCondition = true
    private let interval: Duration

    init(isClockKnown: Bool, pause: Range<MonotonicTime>?, signEvery interval: Duration, at now: MonotonicTime) {
        self.isClockKnown = isClockKnown
        self.pause = pause
        self.interval = interval
        nextSign = now
    }

    /// What is shown and said where the participant asks how the device is.
    var cues: [Cue] { [lastingCue(withCondition: true), pause == nil ? sign : nil].compactMap(\.self) }

    /// Another signal was given.
    mutating func postponeSign(at now: MonotonicTime) { nextSign = now + interval }

    /// The sign of life if it is due; nil otherwise.
    mutating func takeSign(at now: MonotonicTime) -> Cue? {
        guard nextSign <= now else { return nil }
        postponeSign(at: now)
        showsCondition.toggle()
        return lastingCue(withCondition: showsCondition) ?? sign
    }

    /// Returns what is to be said of a fault. Faults with the same words are said once; the log
    /// says which part each is of.
    mutating func setFault(_ fault: String?) -> Cue? {
        defer { self.fault = fault }
        let cue = fault.map(Cue.fault(named:))
        return cue == self.fault.map(Cue.fault(named:)) || cue?.isQuietCondition == true ? nil : cue
    }

    private var sign: Cue { isRecording ? .recording : .alive }

    /// What is wrong or unusual for now, such as a pause, a fault or an unknown time; nil =
    /// nothing. `withCondition` = also what passes by itself.
    private func lastingCue(withCondition: Bool) -> Cue? {
        if pause != nil { return .paused }
        let cue = fault.map(Cue.fault(named:)) ?? (isClockKnown ? nil : .condition(.clockUnknown))
        if isRemovable, withCondition, cue?.isQuietCondition ?? true { return .removable }
        return cue.flatMap { $0.isQuietCondition && !withCondition ? nil : $0 }
    }
}
