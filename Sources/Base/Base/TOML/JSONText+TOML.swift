// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// A settings file as JSON, for `StudyFolder` and for `CodebookReader` in the lab. Times become texts as
    /// they are written.
    package init(_ table: TOMLTable) {
        self = .object(table.keys.compactMap { key in table[key].map { .init(key, JSONText($0)) } })
    }

    private init(_ value: TOMLValue) {
        self =
            switch value.content {
            case .string(let text), .time(let text): .string(text)
            case .integer(let number): .integer(Int64(number))
            case .float(let number): .decimal(number)
            case .boolean(let value): .boolean(value)
            case .array(let values): .array(values.map { JSONText($0) })
            case .table(let table): JSONText(table)
            }
    }
}
