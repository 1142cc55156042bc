// SPDX-License-Identifier: Apache-2.0
import Base

/// Why an occurrence was never presented, where nothing else explains it: for `Scheduler`, which adds the spans in
/// which the agent did not run, and calls `endStart` and `forgetSwitches` after a start. Pure.
struct UnseenTimes: Sendable {
    private var offSpans: [Range<Instant>] = []
    /// For what fell due outside `offSpans` and while prompts were on: `deviceOff` until the start is
    /// over, then `clockUnknown`.
    private var reason = MissReason.deviceOff
    /// Prompts switched off and on in earlier runs; empty once what fell due in those runs was looked at.
    private var switches: PromptSwitches

    init(_ switches: PromptSwitches) { self.switches = switches }

    mutating func addOff(_ span: Range<Instant>) { offSpans.append(span) }

    /// To be called once all that fell due before the start has been looked at: from then on an
    /// occurrence is only passed over where the clock jumps.
    mutating func endStart() { reason = .clockUnknown }

    /// It fell due in an earlier run, when prompts were off.
    func wasWithheld(_ entry: ScheduledEntry, by now: Instant) -> Bool {
        !entry.isPresented && switches.wereOff(at: entry.occurrence.due, by: now)
    }

    mutating func forgetSwitches() { switches = PromptSwitches() }

    func reason(for entry: ScheduledEntry, enrolled: Instant?, at now: Instant) -> MissReason {
        let due = entry.occurrence.due
        if let enrolled, due < enrolled, entry.end.map({ $0 <= enrolled }) ?? true { return .beforeEnrolment }
        // The clocks were put forward over all of its time, so that its start was moved on to its end or beyond.
        if entry.occurrence.resolution == .skipped, let end = entry.end, end <= due { return .zoneChanged }
        // A repeat of a sticky task ends when the next is due; so the next came within a second.
        if entry.occurrence.isHidden, let end = entry.end, end - due < .seconds(1) { return .replaced }
        if offSpans.contains(where: { $0.contains(due) }) { return .deviceOff }
        if wasWithheld(entry, by: now) { return .promptsOff }
        // It fell due before and was not presented yet, such as behind another prompt, and ran out in the span.
        if let end = entry.end, offSpans.contains(where: { $0.lowerBound < end && end <= $0.upperBound }) {
            return .deviceOff
        }
        return reason
    }
}
