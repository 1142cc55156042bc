// SPDX-License-Identifier: Apache-2.0
import Lab

/// The columns of a questionnaire's table, or of the events': `ESMiraServedStudy` makes them, `ESMiraTables`
/// writes rows by them.
struct ESMiraColumns: Sendable {
    /// The questionnaire's own columns, in order.
    private(set) var names: [String] = []
    /// Inputs with an answer that is the number of a recording to come.
    private(set) var recorded: Set<String> = []

    static let base = [
        "entryId", "userId", "uploaded", "uploaded_formatted", "appType", "appVersion", "studyId", "accessKey",
        "studyVersion", "studyLang", "questionnaireName", "eventType", "timezone", "timezoneOffset", "responseTime",
        "responseTime_formatted", "localDateTime", "formDuration", "pageDurations", "lastInvitation",
        "lastInvitation_formatted",
    ]
    static let events =
        base.dropLast(4) + [
            "newSchedule", "actionScheduledTo", "actionScheduledTo_formatted", "model", "osVersion", "manufacturer",
        ]

    init(_ questionnaire: JSONValue) {
        for page in questionnaire["pages"]?.array ?? [] {
            for input in page["inputs"]?.array ?? [] { add(input) }
        }
        names += (questionnaire["sumScores"]?.array ?? []).compactMap { $0["name"]?.string }
        names += (questionnaire["virtualInputs"]?.array ?? []).compactMap(\.string)
    }

    /// In the table's order.
    func all(hasGroups: Bool) -> [String] { (hasGroups ? ["group"] : []) + Self.base + names }

    private mutating func add(_ input: JSONValue) {
        guard let name = input["name"]?.string else { return }
        let kind = input["responseType"]?.string ?? "text_input"
        guard kind != "text" else { return }
        names.append(name)
        func more(_ extras: [String]) -> [String] { extras.map { name + "~" + $0 } }
        switch kind {
        case "app_usage":
            names += more(["usageCountYesterday", "usageCountToday", "usageTimeYesterday", "usageTimeToday"])
        case "battery_level": names += more(["charging"])
        case "bluetooth_devices": names += more(["devices"])
        case "dynamic_input": names += more(["index"])
        case "list_multiple":
            names += more((input["listChoices"]?.array ?? []).indices.map { String($0 + 1) })
            if input["other"]?.bool == true { names += more(["other", "other_text"]) }
        case "list_single": if input["other"]?.bool == true { names += more(["other"]) }
        case "record_audio": recorded.insert(name)
        // The server falls through to its default here, and writes the name twice.
        case "noise_level": names += more(["min", "max"]) + [name]
        default: break
        }
    }
}
