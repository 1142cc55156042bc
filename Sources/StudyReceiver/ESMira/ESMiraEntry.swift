// SPDX-License-Identifier: Apache-2.0
import Times

/// One entry of a request while it is looked at.
struct ESMiraEntry {
    let id: Int
    let study: Int
    /// The server adds some.
    var members: [String: JSONValue]
    private var responses: [String: JSONValue]

    /// Throws where the server breaks off.
    init(_ value: JSONValue) throws(PHPValue.Fatal) {
        guard case .object(let members) = value else {
            throw PHPValue.Fatal(
                description: "backend\\CreateDataSet::handleDataSet(): Argument #1 ($dataSet) must be of type stdClass")
        }
        guard case .object(let responses)? = value["responses"] else {
            let type =
                switch value["responses"] {
                case nil, .null: "null"
                case .array: "array"
                case .boolean(let value): value ? "true" : "false"
                case .spelled(let text): Int(text) == nil ? "float" : "int"
                default: "string"
                }
            throw PHPValue.Fatal(description: "Attempt to assign property \"userId\" on \(type)")
        }
        id = PHPValue.int(value["dataSetId"])
        study = PHPValue.int(value["studyId"])
        self.members = members.reduce(into: [:]) { $0[$1.name] = $1.value }
        self.responses = responses.reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    /// Adds what the server knows better than the app; `now` in Unix ms.
    mutating func complete(user: String, app: (String, String), at now: Int) {
        func formatted(_ value: JSONValue?) -> JSONValue { .string(Self.formatted(PHPValue.int(value))) }
        if PHPValue.isSet(responses["actionScheduledTo"]) {
            responses["actionScheduledTo_formatted"] = formatted(responses["actionScheduledTo"])
        }
        if let invitation = responses["lastInvitation"], PHPValue.isSet(invitation),
            (try? PHPValue.order(invitation, .int(0))) != 0
        {
            responses["lastInvitation_formatted"] = formatted(invitation)
        }
        if PHPValue.isSet(members["responseTime"]) {
            members["responseTime_formatted"] = formatted(members["responseTime"])
        }
        responses["userId"] = .string(user)
        responses["uploaded"] = .int(now)
        responses["uploaded_formatted"] = .string(Self.formatted(now))
        responses["appType"] = .string(app.0)
        responses["appVersion"] = .string(app.1)
        let version = PHPValue.int(members["studyVersion"])
        let below = PHPValue.int(members["studySubVersion"])
        members["studyVersion"] = .string("\(version).\(below)")
    }

    /// A member, or a response, or that under the name of older apps.
    func answer(_ key: String, _ aliases: [String: String]) throws -> String {
        for name in [key, aliases[key]].compactMap(\.self) {
            for value in [members[name], responses[name]].compactMap(\.self) where PHPValue.isSet(value) {
                return PHPValue.oneLine(try PHPValue.text(value))
            }
        }
        return ""
    }

    /// Whether the entry meets the conditions of a variable. As the server has it: of conditions joined by "or" one that fails everywhere passes too.
    func fits(_ variable: ESMiraObserved.Entry) throws -> Bool {
        let type = PHPValue.int(variable.conditionType)
        guard type != 0 else { return true }
        for condition in variable.conditions {
            let key = condition["key"]?.string ?? ""
            let given = responses[key].flatMap { PHPValue.isSet($0) ? $0 : nil } ?? members[key]
            let order = try PHPValue.order(given, condition["value"])
            let isTrue =
                switch PHPValue.int(condition["operator"]) {
                case 0: order == 0
                case 1: order != 0
                case 2: order >= 0
                case 3: order <= 0
                default: true
                }
            if isTrue, type == 2 { return true }
            if !isTrue, type == 1 { return false }
        }
        return true
    }

    /// `2026/11/21 07:10:00`, in UTC; empty outside the years that are reckoned with here.
    private static func formatted(_ milliseconds: Int) -> String {
        let second = Int64((Double(milliseconds) / 1000).rounded())
        guard (-2_000_000_000...7_258_118_400).contains(second) else { return "" }
        return Instant(seconds: second).shown().replacing("-", with: "/")
    }
}
