// SPDX-License-Identifier: Apache-2.0
import Base

/// `status.json` of a `SupportBundle`: the members of `studyd status --json` that say how the device is doing; nothing
/// about who takes part, where they are or what they answered. A new member is left out until it is listed here. Pure.
struct SupportStatus {
    private static let shown: Set<String> = [
        "running", "readingLog", "withdrawn", "prompts", "enrolledCertain", "clock", "measures", "coverage", "cost",
        "device", "portals", "report", "live", "salvages", "eventsLost", "diskFree", "partsMissed", "fault", "faults",
        "ledger",
    ]
    /// Their texts are cut by `SupportRedaction`; null where `status` was no object.
    let json: JSONText

    init(_ status: JSONText, _ redaction: SupportRedaction) {
        guard case .object(let members) = status else {
            json = .null
            return
        }
        json = .object(
            members.filter { Self.shown.contains($0.key) }.map { .init($0.key, Self.clean($0.value, redaction)) })
    }

    private static func clean(_ value: JSONText, _ redaction: SupportRedaction) -> JSONText {
        switch value {
        case .null, .boolean, .spelled: value
        case .string(let text): .string(redaction.clean(text))
        case .array(let values): .array(values.map { clean($0, redaction) })
        case .object(let members): .object(members.map { .init($0.key, clean($0.value, redaction)) })
        }
    }
}
