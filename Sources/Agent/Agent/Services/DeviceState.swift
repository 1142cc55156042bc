// SPDX-License-Identifier: Apache-2.0
import Base

/// What those who look after a device want to know at once when it changes: `StateWatch` compares two of them. Pure.
struct DeviceState: Sendable, Hashable {
    enum Pause: String, Sendable, Hashable {
        case clock, participant, study
    }

    /// The id of the enrolment in force, and its study; nil = there is none.
    var enrolment: String?
    var study: String?
    var isClockKnown = false
    /// The source that vouches for the clock; the raw value.
    var source = ""
    /// Nil = prompts come, or there is no enrolment.
    var pause: Pause?
    /// Something has waited to be sent for too long, or a log-in page answers for a server.
    var isOutboxHeld = false
    var isDiskLow = false
    /// The lab's receiver does not take this device's key, or no longer (`ReportStatus.isBarred`).
    var isRevoked = false
    /// Places of faults that are present, without the numbers in them, which change all the time.
    var faults: Set<String> = []

    /// What the journal is to say, in order; `old` nil = nothing was known, at a start.
    func changes(since old: DeviceState?) -> [StateChange] {
        enrolmentChanges(since: old) + clockChanges(since: old)
            + change(old?.isOutboxHeld, isOutboxHeld, .outboxHeld, .outboxMoves)
            + change(old?.isDiskLow, isDiskLow, .diskLow, .diskRoom)
            + change(old?.isRevoked, isRevoked, .revoked, .accepted)
    }

    private func enrolmentChanges(since old: DeviceState?) -> [StateChange] {
        guard enrolment != old?.enrolment else { return [] }
        guard let enrolment else { return [StateChange(.left)] }
        return [StateChange(.enrolled, ["enrolment": enrolment, "study": study ?? ""])]
    }

    private func clockChanges(since old: DeviceState?) -> [StateChange] {
        var changes: [StateChange] = []
        if isClockKnown != old?.isClockKnown {
            changes.append(
                isClockKnown ? StateChange(.synchronised, ["source": source]) : StateChange(.clockUnknown))
        }
        if let pause, pause != old?.pause { changes.append(StateChange(.promptsPaused, ["why": pause.rawValue])) }
        if pause == nil, old?.pause != nil, enrolment != nil { changes.append(StateChange(.promptsResumed)) }
        return changes
    }

    private func change(
        _ before: Bool?, _ now: Bool, _ begins: StateChange.Kind, _ ends: StateChange.Kind
    ) -> [StateChange] {
        before ?? false == now ? [] : [StateChange(now ? begins : ends)]
    }

    /// A fault by what stays the same while it lasts.
    static func name(of fault: Explanation) -> String { fault.finding.filter { !$0.isNumber } }
}
