// SPDX-License-Identifier: Apache-2.0
import Base

/// The rules of a schema post, one after the other: `SchemaPost` calls `run` and takes what it found.
struct SchemaCheck {
    private static let responseFields = [
        "data_type", "user_id", "study_id", "module_index", "module_name", "responses", "response_time",
        "response_time_in_ms", "alert_time", "platform",
    ]
    /// As momenTUM's app appends them (momenTUM-app e14a806, `DataService.sendResponse`).
    private static let momentumFields = [
        "data_type", "user_id", "study_id", "module_index", "module_id", "module_name", "responses", "response_time",
        "response_time_in_ms", "alert_time", "platform",
    ]
    /// A field that only studyd sends: how far off the times of a response can be.
    private static let clockError = "clock_error_in_s"
    private static let logFields = [
        "data_type", "user_id", "study_id", "module_index", "page", "event", "timestamp", "timestamp_in_ms", "platform",
    ]
    /// Characters that the columns of the platform's sample database hold.
    private static let lengths = [
        "study_id": 30, "user_id": 30, "module_name": 500, "responses": 10_000, "page": 100, "platform": 50,
    ]

    private let fields: [FormField]
    private let isMomentum: Bool
    private(set) var kind: SchemaPost.Kind?
    private(set) var errors: [String] = []
    private(set) var warnings: [String] = []
    private(set) var responses: [JSONValue.Member] = []

    init(_ fields: [FormField], isMomentum: Bool) {
        self.fields = fields
        let names = Set(fields.map(\.name))
        let type = fields.first { $0.name == "data_type" }?.value
        self.isMomentum = isMomentum || names.contains("module_id") || type == "pvt_response"
    }

    mutating func run() {
        kind = value("data_type").flatMap(SchemaPost.Kind.init(dataType:))
        guard let kind else {
            return errors.append(
                "data_type has to be survey_response, pvt_response (of momenTUM) or log, it is \(shown("data_type"))")
        }
        checkNames(kind == .log ? Self.logFields : isMomentum ? Self.momentumFields : Self.responseFields)
        checkTexts()
        checkNameLengths()
        checkIndex(kind)
        checkTimes(kind)
        if kind == .response { checkResponses() }
        checkLengths()
    }

    private func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    private func shown(_ name: String) -> String {
        value(name).map { "“\($0.count > 60 ? $0.prefix(60) + "…" : $0[...])”" } ?? "absent"
    }

    private mutating func checkNames(_ expected: [String]) {
        let names = fields.map(\.name)
        for name in expected where !names.contains(name) { errors.append("\(name) is missing") }
        for name in expected where names.count(where: { $0 == name }) > 1 { errors.append("\(name) comes twice") }
        for name in names where !expected.contains(name) && !(name == Self.clockError && kind == .response) {
            warnings.append("\(name.prefix(60)) is not a field of the platform")
        }
        let known = names.filter(expected.contains)
        if errors.isEmpty, known != expected {
            warnings.append("the fields come in another order than the app's: \(known.joined(separator: ", "))")
        }
        for field in fields where field.fileName != nil {
            warnings.append("\(field.name.prefix(60)) has a file name; the app sends plain parts")
        }
    }

    private mutating func checkTexts() {
        for name in ["user_id", "study_id", "platform"] where value(name)?.isEmpty == true {
            errors.append("\(name) is empty")
        }
        for name in ["page", "event"] where value(name)?.isEmpty == true { warnings.append("\(name) is empty") }
    }

    /// Names of a participant, a study or a place in the app are in lists and on the page, for
    /// ever.
    private mutating func checkNameLengths() {
        for name in ["user_id", "study_id", "platform", "page", "event", "module_id"] {
            guard let count = value(name)?.count, count > DeviceName.longest else { continue }
            errors.append(DeviceName.refusal(name))
        }
        for field in fields where field.name.count > DeviceName.longest {
            errors.append("the name of a field is longer than \(DeviceName.longest) characters")
        }
    }

    private mutating func checkIndex(_ kind: SchemaPost.Kind) {
        guard let text = value("module_index") else { return }
        let lowest = kind == .log ? -1 : 0
        guard let index = Int(text), String(index) == text, index >= lowest else {
            return errors.append(
                "module_index has to be a whole number from \(lowest) on, it is \(shown("module_index"))")
        }
    }

    private mutating func checkTimes(_ kind: SchemaPost.Kind) {
        let main = kind == .response ? "response_time" : "timestamp"
        for name in kind == .response ? [main, "alert_time"] : [main] {
            guard let text = value(name), WrittenTime(text) == nil else { continue }
            errors.append("\(name) has to look like 2019-05-08T23:16:21+10:00, it is \(shown(name))")
        }
        guard let text = value("\(main)_in_ms") else { return }
        guard let milliseconds = Int64(text), milliseconds >= 0 else {
            return errors.append("\(main)_in_ms has to be Unix milliseconds, it is \(shown("\(main)_in_ms"))")
        }
        if let written = value(main).flatMap(WrittenTime.init),
            written.instant.seconds != Instant(milliseconds: milliseconds).seconds
        {
            warnings.append("\(main) and \(main)_in_ms name different seconds")
        }
    }

    private mutating func checkResponses() {
        guard let text = value("responses") else { return }
        do {
            guard case .object(let members) = try JSONReader.value(text) else {
                return errors.append("responses has to be a JSON object, it is \(shown("responses"))")
            }
            responses = members
            if members.isEmpty { warnings.append("responses has no question at all") }
            if members.contains(where: { $0.name.count > DeviceName.longest }) {
                errors.append("the id of a question is longer than \(DeviceName.longest) characters")
            }
            if Set(members.map(\.name)).count < members.count { warnings.append("a question comes twice in responses") }
        } catch {
            errors.append("responses is not JSON: \(error)")
        }
    }

    private mutating func checkLengths() {
        for field in fields {
            guard let limit = Self.lengths[field.name], field.value.unicodeScalars.count > limit else { continue }
            warnings.append(
                "\(field.name) has \(field.value.unicodeScalars.count) characters; "
                    + "the platform's sample database holds \(limit)")
        }
    }
}
