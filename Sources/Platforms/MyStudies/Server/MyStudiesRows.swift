// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Rows of the Response server about one participant, and the value that they give a variable:
/// `MyStudiesServer` asks for the dates from which runs are counted (anchors).
///
/// The server writes dates in its own zone without naming it. A time of midnight means a day without a
/// time, which stays the same in every zone; any other time is converted.
package struct MyStudiesRows: Sendable {
    /// By column in lower case, in the server's order, which the query does not fix.
    private let rows: [[String: String]]

    /// Reads `{"rows":[{"data":{"<column>":{"value":…}}}]}`; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        guard let root = try? JSONNode(bytes), let entries = root["rows"]?.array else { return nil }
        rows = entries.map { entry in
            guard case .object(let members) = (entry["data"] ?? entry).content else { return [:] }
            return members.reduce(into: [:]) { row, member in
                let value = member.value["value"] ?? member.value
                switch value.content {
                case .string(let text), .number(let text): row[member.key.lowercased()] = text
                default: break
                }
            }
        }
    }

    /// The SQL query for a variable, with the columns that the apps ask for; `entryColumn` is not read here.
    package static func query(_ variable: ServerVariable) -> String {
        let isProperty = variable.table == "ParticipantProperties"
        let others = isProperty ? [variable.externalColumn, variable.entryColumn] : ["Created"]
        let columns = ([variable.column] + others).filter { !$0.isEmpty }
        return "SELECT \(columns.map(name).joined(separator: ",")) FROM \(name(variable.table))"
    }

    /// A name in SQL as the app writes it: in quotes if it has more than letters, digits and `_`.
    private static func name(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0 == 95 || (48...57).contains($0) || (65...90).contains($0 & 0xDF) }
        return isPlain ? name : "\"" + name.filter { $0 != "\"" } + "\""
    }

    /// The variable's value in its newest row that has one, with its history if it has an external column
    /// (`MyStudiesAnchors.all` and `external`); empty where there is none. `server` is the zone of the
    /// server's dates.
    ///
    /// The history holds every date so far, each of which adds runs. A new value of the external system (a
    /// visit's number, say) adds a date to it; else its last date is replaced.
    package func values(
        of variable: ServerVariable, known: [String: AnswerValue], server: Zone, device: Zone
    ) -> [String: AnswerValue] {
        let dated = rows.filter { $0[variable.column.lowercased()]?.isEmpty == false }
        // Of rows with the same time, or without times, the last.
        let newest = dated.reversed().max { $0["created"] ?? "" < $1["created"] ?? "" }
        guard let row = newest, let text = row[variable.column.lowercased()],
            let local = Self.local(text, server: server, device: device)
        else { return [:] }
        var values: [String: AnswerValue] = [variable.variable: .dateTime(local)]
        guard !variable.externalColumn.isEmpty else { return values }
        let all = MyStudiesAnchors.all(of: variable.variable)
        let external = MyStudiesAnchors.external(of: variable.variable)
        let given = row[variable.externalColumn.lowercased()] ?? ""
        var days: [String] = []
        if case .choices(let earlier)? = known[all] { days = earlier }
        if let last = known[external], last != .text(given) {
            days.append("\(local.date)")
        } else {
            days = days.dropLast() + ["\(local.date)"]
        }
        values[all] = .choices(days)
        values[external] = .text(given)
        return values
    }

    /// The values known at enrolment, before there are rows; `properties` are by their id.
    package static func values(
        of variables: [ServerVariable], properties: [String: String], server: Zone
    ) -> [String: AnswerValue] {
        variables.reduce(into: [:]) { values, variable in
            guard variable.table == "ParticipantProperties", let text = properties[variable.column],
                let local = local(text, server: server, device: server)
            else { return }
            values[variable.variable] = .dateTime(local)
        }
    }

    /// A date as the server writes it, on the device's wall clock.
    private static func local(_ text: String, server: Zone, device: Zone) -> LocalDateTime? {
        let plain = String(text.prefix(40).map { $0 == "/" ? "-" : $0 == " " ? "T" : $0 })
        guard let date = MyStudiesDates.date(plain.prefix(10)) else { return nil }
        guard plain.utf8.count > 10, let time = MyStudiesDates.time(plain.dropFirst(11).prefix(8)) else {
            return LocalDateTime(date, .midnight)
        }
        if time == .midnight { return LocalDateTime(date, time) }
        let written = LocalDateTime(date, time)
        let instant = offset(plain).map { written.instant(offset: $0) } ?? server.resolve(written).instant
        return device.local(instant)
    }

    /// A date of the study's metadata, `2017-06-08T12:55:22.000-0400`; without an offset as if in UTC. Nil for
    /// anything else.
    package static func instant(_ text: String) -> Instant? {
        guard let local = MyStudiesDates.local(text) else { return nil }
        return local.instant(offset: offset(text) ?? 0)
    }

    /// Seconds east of Greenwich at the end of a stamp; nil where there is none.
    private static func offset(_ text: String) -> Int? {
        if text.hasSuffix("Z") { return 0 }
        let digits = text.suffix(6).filter { $0 != ":" }.suffix(5)
        guard let sign = digits.first, sign == "+" || sign == "-", let number = Int(digits.dropFirst()),
            digits.count == 5, text.utf8.count > 16
        else { return nil }
        return (number / 100 * 3_600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
    }
}
