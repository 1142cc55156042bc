// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit

/// A digest of a trigger's schedules, the same where the app sees no difference: in the order of keys, the editor's
/// labels, defaults that are written out. Where it changes, the times that a participant moved are dropped
/// (`ESMiraSignalTime.moves`).
enum ESMiraScheduleFingerprint {
    /// `schedules` is nil where the trigger has none.
    static func text(of schedules: JSONNode?) -> String {
        var sum = FNV1a.basis
        func add(_ text: String) { sum = FNV1a.hash(text.utf8, from: sum) }
        func add(_ node: JSONNode) {
            switch node.content {
            case .null: add("n")
            case .boolean(let value): add(value ? "t" : "f")
            case .number(let text), .string(let text): add(text)
            case .array(let elements):
                add("[")
                for element in elements { add(element) }
            case .object(let members):
                add("{")
                for member in members.sorted(by: { $0.key < $1.key }) where member.key != "label" && !isDefault(member)
                {
                    add(member.key + ":")
                    add(member.value)
                }
            }
        }
        if let schedules { add(schedules) }
        return String(sum, radix: 16)
    }

    /// What the app takes where a key is absent (`Schedule.kt`, `SignalTime.kt`).
    private static let defaults = [
        "userEditable": "true", "dailyRepeatRate": "1", "weekdays": "0", "dayOfMonth": "0", "skipFirstInLoop": "false",
        "startDayOne": "true", "random": "false", "randomFixed": "false", "frequency": "1", "minutesBetween": "60",
        "startTimeOfDay": "0", "endTimeOfDay": "0",
    ]

    private static func isDefault(_ member: JSONNode.Member) -> Bool {
        switch member.value.content {
        case .boolean(let flag): defaults[member.key] == String(flag)
        case .number(let text), .string(let text): defaults[member.key] == text
        default: false
        }
    }
}
