// SPDX-License-Identifier: Apache-2.0
import Base

/// One line of `studyd plan`, made by `Planner.lines`.
package struct PlanLine: Sendable, Hashable {
    package let occurrence: Occurrence
    /// The participant's arm; nil where the study has none, or where it is not to be shown.
    private let condition: String?
    /// The zone in which its times are written.
    private let zone: Zone

    package init(_ occurrence: Occurrence, condition: String?, zone: Zone) {
        (self.occurrence, self.condition, self.zone) = (occurrence, condition, zone)
    }

    /// Due before the participant joined: everything else without a signal is an offer.
    var isBeforeEnrolment: Bool { !occurrence.isOffer && !occurrence.isSignalled }

    /// The clocks are put forward over all of its time, so that it ends before it begins and is missed.
    var isJumpedOver: Bool {
        occurrence.resolution == .skipped && (occurrence.expires.map { $0 <= occurrence.due } ?? false)
    }

    /// What is special about it; nil where nothing is.
    package var remark: String? {
        var parts: [String] = []
        if let notice = occurrence.notice {
            parts.append(notice.kind)
        } else if occurrence.isHidden {
            parts.append("hidden")
        }
        if occurrence.isOffer {
            parts.append("open, without a prompt")
        } else if isBeforeEnrolment {
            parts.append("before enrolment")
        }
        switch occurrence.resolution {
        case .unique: break
        case .skipped where isJumpedOver:
            parts.append("DST: \(clock(occurrence.local.time)) to its end does not exist that day, so it is missed")
        case .skipped: parts.append("DST: \(clock(occurrence.local.time)) does not exist that day, moved later")
        case .repeated: parts.append("DST: \(clock(occurrence.local.time)) occurs twice that day, the first is used")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The keys and values, for a line that carries more (`studyd simulate`).
    package var members: [JSONText.Member] {
        JSONText.members([
            "id": .string(occurrence.id), "task": .string(occurrence.task),
            "index": .integer(Int64(occurrence.taskIndex)), "number": .integer(Int64(occurrence.number)),
            "due": .string(ZonedText(occurrence.due, in: zone).description),
            "expires": occurrence.expires.map { .string(ZonedText($0, in: zone).description) },
            "condition": condition.map { .string($0) }, "remark": remark.map { .string($0) },
        ])
    }

    /// One JSON object without a line end.
    package var json: String { JSONText.object(members).text }

    /// One line for people.
    package var text: String {
        let due = ZonedText(occurrence.due, in: zone).description
        let expires = occurrence.expires.map { " until " + ZonedText($0, in: zone).description } ?? ""
        return due + expires + "  " + occurrence.id.shown + (remark.map { "  (\($0))" } ?? "")
    }

    private func clock(_ time: LocalTime) -> String { "\(time.hour):\(time.minute.padded(2))" }
}
