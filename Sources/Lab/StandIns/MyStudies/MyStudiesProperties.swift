// SPDX-License-Identifier: Apache-2.0
import Lab

/// The participant properties of a `MyStudiesStudy`: `participantProperties.json` says which there are, as the
/// metadata server answers it, and `participantProperties-values.json` the values of each enrolment token:
///
///     {"ABCDEFGHI": {"dueDate": "2026-08-01", "dueDateExternalId": "7", "dueDateEntryDate": "2026-02-01"}}
struct MyStudiesProperties: Sendable {
    private struct Definition: Sendable {
        let id: String
        let isDate: Bool
        let isPreEnrolment: Bool
    }

    private let definitions: [Definition]?
    /// By token in capitals.
    private let values: [String: [JSONValue.Member]]
    /// What belongs to each property: another system's id of the value, and the day on which it
    /// was entered there.
    private static let suffixes = ["ExternalId", "EntryDate"]
    /// True where the study has any; without, there is no list of them.
    let exist: Bool

    init(definitions: JSONValue?, values: JSONValue?) {
        let listed = definitions?["participantProperties"]?.array
        self.definitions = listed?.compactMap { property in
            guard let id = property["propertyId"]?.string else { return nil }
            let format = property["propertyDataFormat"]?.string ?? property["propertyDataType"]?.string ?? ""
            let type = property["propertyType"]?.string ?? ""
            return Definition(
                id: id, isDate: format.lowercased() == "date", isPreEnrolment: type.lowercased().hasPrefix("pre"))
        }
        self.values = (values?.members ?? []).reduce(into: [:]) { $0[$1.name.uppercased()] = $1.value.members }
        exist = listed != nil || values != nil
    }

    /// What validateEnrollmentToken answers before the enrolment: the properties that are known
    /// then.
    func beforeEnrolment(_ token: String) -> JSONValue {
        let values = values[token.uppercased()] ?? []
        let ids = definitions.map { $0.filter(\.isPreEnrolment).map(\.id) } ?? values.map(\.name)
        return .array(
            ids.map { id in
                .members(["propertyId": .string(id), "value": values.first { $0.name == id }?.value ?? .null])
            })
    }

    /// The columns of the list `ParticipantProperties`.
    var columns: [String] {
        let ids = (definitions ?? []).map(\.id) + Set(values.values.flatMap { $0.map(\.name) }).sorted()
        let all = ids.flatMap { id in
            Self.suffixes.contains(where: id.hasSuffix) ? [id] : [id] + Self.suffixes.map { id + $0 }
        }
        var seen: Set<String> = []
        return ["EnrollmentToken"] + all.filter { seen.insert($0.lowercased()).inserted }
    }

    /// The row of a token, dates as the server writes them.
    func row(_ token: String) -> [JSONValue.Member] {
        let values = (values[token.uppercased()] ?? []).map { member in
            let definition = (definitions ?? []).first { $0.id.lowercased() == member.name.lowercased() }
            guard !member.name.hasSuffix(Self.suffixes[0]), definition?.isDate != false,
                let date = member.value.string.flatMap(MyStudiesDate.written)
            else { return member }
            return JSONValue.Member(name: member.name, value: .string(date))
        }
        return [.init(name: "EnrollmentToken", value: .string(token))] + values
    }
}
