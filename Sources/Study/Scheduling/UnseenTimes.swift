// SPDX-License-Identifier: Apache-2.0
import Base

/// Why an occurrence was never presented, where nothing else explains it. Pure.
struct UnseenTimes: Sendable {
    private var offSpans: [Range<Instant>] = []
    /// Where no span of being off covers it.
    private var reason = MissReason.deviceOff

    mutating func addOff(_ span: Range<Instant>) { offSpans.append(span) }

    /// The past of the start is dealt with: from now on only a step of the clock can jump over an
    /// occurrence.
    mutating func startIsOver() { reason = .clockUnknown }

    func reason(for entry: ScheduledEntry, enrolled: Instant?) -> MissReason {
        let due = entry.occurrence.due
        if let enrolled, due < enrolled { return .beforeEnrolment }
        if entry.occurrence.isHidden, let end = entry.end, end - due < .seconds(1) { return .replaced }
        return offSpans.contains { $0.contains(due) } ? .deviceOff : reason
    }
}
