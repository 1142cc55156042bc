// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// One entry of a request to datasets.php while `ESMiraIntake` works on it.
struct ESMiraEntry {
    let id: Int
    let study: Int
    /// The entry's members, those of its responses with other names, and what the server adds.
    private var values: [String: JSONValue]
    let event: String
    /// -1 = none.
    let questionnaire: Int

    /// `now` in Unix ms.
    init(_ value: JSONValue, user: String, app: (type: String, version: String), at now: Int) {
        id = ESMiraValue.whole(value["dataSetId"])
        study = ESMiraValue.whole(value["studyId"])
        event = ESMiraValue.text(value["eventType"])
        questionnaire = value["questionnaireInternalId"].map(ESMiraValue.whole) ?? -1
        var values = (value["responses"]?.members ?? []).reduce(into: [:]) { $0[$1.name] = $1.value }
        for member in value.members where !member.value.isNull { values[member.name] = member.value }
        for name in ["actionScheduledTo", "lastInvitation", "responseTime"] where ESMiraValue.isSet(values[name]) {
            // 0 = there was no invitation.
            if name == "lastInvitation", ESMiraValue.text(values[name]) == "0" { continue }
            values[name + "_formatted"] = .string(Self.formatted(ESMiraValue.whole(values[name])))
        }
        let subVersion = ESMiraValue.whole(value["studySubVersion"])
        values["studyVersion"] = .string("\(ESMiraValue.whole(value["studyVersion"])).\(subVersion)")
        values["userId"] = .string(user)
        values["uploaded"] = .int(now)
        values["uploaded_formatted"] = .string(Self.formatted(now))
        (values["appType"], values["appVersion"]) = (.string(app.type), .string(app.version))
        self.values = values
    }

    subscript(_ name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    func cell(_ column: String) -> String { ESMiraValue.oneLine(ESMiraValue.text(values[column])) }

    /// Whether the entry meets the conditions of a variable: none (`conditionType` 0), all (1) or one of them
    /// (2). As on the server, an entry for which none of several alternatives holds passes, too.
    func fits(_ variable: ESMiraObserved.Entry) -> Bool {
        let type = variable.conditionType
        guard type != 0 else { return true }
        for condition in variable.conditions {
            let isTrue = Self.holds(
                ESMiraValue.text(values[condition["key"]?.string ?? ""]), ESMiraValue.whole(condition["operator"]),
                ESMiraValue.text(condition["value"]))
            if isTrue, type == 2 { return true }
            if !isTrue, type == 1 { return false }
        }
        return true
    }

    /// Equal, unequal, at least, at most; by numbers where both are.
    private static func holds(_ left: String, _ comparison: Int, _ right: String) -> Bool {
        if let one = Double(left), let other = Double(right) { return compare(one, comparison, other) }
        return compare(left, comparison, right)
    }

    private static func compare<Value: Comparable>(_ left: Value, _ comparison: Int, _ right: Value) -> Bool {
        switch comparison {
        case 0: left == right
        case 1: left != right
        case 2: left >= right
        case 3: left <= right
        default: true
        }
    }

    /// `2026/11/21 07:10:00`, in UTC; empty for a time before August 1906 or after the year 2199.
    private static func formatted(_ milliseconds: Int) -> String {
        let second = Int64((Double(milliseconds) / 1000).rounded())
        guard (-2_000_000_000...7_258_118_400).contains(second) else { return "" }
        return Instant(seconds: second).shown().replacing("-", with: "/")
    }
}
