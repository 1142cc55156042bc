// SPDX-License-Identifier: Apache-2.0
import Base

/// What a participant may read of what was sent: `executeSQL`.
extension MyStudiesDesk {
    /// More rows are not given; the platform's own limit.
    private static let mostRows = 100_000

    /// A list with a participant's rows, ready to be asked.
    private struct Table {
        let columns: [String]
        let rows: [[JSONValue.Member]]
        func name(_ column: String) -> String? { columns.first { $0.lowercased() == column.lowercased() } }
    }

    /// `executeSQL`: `{"rows":[{"data":{"<column>":{"value":…}}}]}`, columns under the names by
    /// which they were asked for.
    func executeSQL(_ parameters: [String: String]) async throws -> JSONValue {
        let (participant, study) = try await participant(parameters["participantId"])
        guard let sql = parameters["sql"], !sql.allSatisfy(\.isWhitespace) else {
            throw Mistake("No value was supplied for the required parameter 'sql'")
        }
        let query: MyStudiesQuery
        do { query = try MyStudiesQuery(sql) } catch let failure as MyStudiesFailure {
            throw Mistake(failure.description)
        }
        guard let table = try await table(query.table, participant, study) else {
            throw Mistake("Query or table not found: \(query.table)")
        }
        let asked = try query.columns.map { column in
            guard let name = table.name(column) else { throw Mistake("Could not resolve column: \(column)") }
            return (shown: column, name: name)
        }
        let rows = table.rows.map { row -> JSONValue in
            let data = asked.map { column in
                let value = row.first { $0.name == column.name }?.value ?? .null
                return JSONValue.Member(name: column.shown, value: .members(["value": value]))
            }
            return .members(["data": .object(data)])
        }
        return Self.answer(rows, query: "sql")
    }

    private static func answer(_ rows: [JSONValue], query: String) -> JSONValue {
        .members([
            "schemaName": .string("MobileAppResponse"), "queryName": .string(query), "rowCount": .int(rows.count),
            "rows": .array(rows),
        ])
    }

    /// Nil where there is no such list: one exists from the first run of its activity on,
    /// whoever sent it.
    private func table(
        _ name: String, _ participant: MyStudiesParticipant, _ study: MyStudiesStudy
    ) async throws -> Table? {
        if name.lowercased() == "participantproperties" {
            guard study.properties.exist else { return nil }
            let rows = participant.token.map { [study.properties.row($0)] } ?? []
            return Table(columns: study.properties.list.columns.map(\.name), rows: rows)
        }
        guard let list = try await archive.list(name, study: study.id) else { return nil }
        let parent = list.parent.map { $0 + "Id" }
        let columns = ["Key", "ParticipantId"] + (parent.map { [$0] } ?? []) + list.columns.map(\.name)
        let stored = try await archive.rows(list.name, of: participant, limit: Self.mostRows)
        let rows = stored.map { row -> [JSONValue.Member] in
            let created = JSONValue.string(MyStudiesDate.written(row.created, in: study.state.zone))
            var members: [JSONValue.Member] = [
                .init(name: "Key", value: .int(row.id)), .init(name: "ParticipantId", value: .int(participant.id)),
            ]
            if let parent { members.append(.init(name: parent, value: .int(row.parent))) }
            return members + row.values + [
                .init(name: "Created", value: created), .init(name: "Modified", value: created),
            ]
        }
        return Table(columns: columns + ["Created", "Modified"], rows: rows)
    }
}
