// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// One line of `studyd plan`.
public struct PlanLine: Sendable, Hashable {
    /// What it tells of.
    public let occurrence: Occurrence
    /// The participant's arm; nil where the study has none.
    public let condition: String?
    /// The zone in which its times are written.
    public let zone: Zone

    public init(_ occurrence: Occurrence, condition: String?, zone: Zone) {
        self.occurrence = occurrence
        self.condition = condition
        self.zone = zone
    }

    /// What is special about it; nil where nothing is.
    public var remark: String? {
        var parts: [String] = []
        if occurrence.isHidden { parts.append("hidden") }
        if !occurrence.isSignalled { parts.append("before enrolment") }
        switch occurrence.resolution {
        case .unique: break
        case .skipped: parts.append("DST: \(clock(occurrence.local.time)) does not exist that day, moved on")
        case .repeated: parts.append("DST: \(clock(occurrence.local.time)) comes twice that day, the first is taken")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The keys and values, for a line that carries more (`studyd simulate`).
    public var members: [JSONText.Member] {
        var members: [JSONText.Member] = [
            .init("id", .string(occurrence.id)), .init("task", .string(occurrence.task)),
            .init("index", .integer(Int64(occurrence.taskIndex))), .init("number", .integer(Int64(occurrence.number))),
            .init("due", .string(ZonedText(occurrence.due, in: zone).description)),
        ]
        if let expires = occurrence.expires {
            members.append(.init("expires", .string(ZonedText(expires, in: zone).description)))
        }
        if let condition { members.append(.init("condition", .string(condition))) }
        if let remark { members.append(.init("remark", .string(remark))) }
        return members
    }

    /// One JSON object without a line end.
    public var json: String { JSONText.object(members).text }

    /// One line for people.
    public var text: String {
        let due = ZonedText(occurrence.due, in: zone).description
        let expires = occurrence.expires.map { " until " + ZonedText($0, in: zone).description } ?? ""
        return due + expires + "  " + occurrence.id + (remark.map { "  (\($0))" } ?? "")
    }

    private func clock(_ time: LocalTime) -> String {
        let minute = String(time.minute)
        return "\(time.hour):" + (minute.count < 2 ? "0" : "") + minute
    }
}
