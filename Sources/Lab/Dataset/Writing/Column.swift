// SPDX-License-Identifier: Apache-2.0
import Base

/// A column of a table: what it is, and its cell in each row. `Tables` lists those of each table.
package struct Column<Row>: Sendable {
    /// Types as a Data Package names them; `utc` and `local` are its `datetime`.
    package enum Kind: String, Sendable {
        case string, integer, number, boolean, date, any
        /// `2026-11-25T08:54:03.145Z`
        case utc
        /// A wall clock's time, without an offset: `2026-11-25T09:54:03.145`.
        case local
    }

    package let name: String
    package let kind: Kind
    package let words: String
    package let unit: String?
    /// Nil = missing.
    let cell: @Sendable (Row) -> String?

    package init(
        _ name: String, _ kind: Kind, _ words: String, unit: String? = nil, _ cell: @escaping @Sendable (Row) -> String?
    ) {
        (self.name, self.kind, self.words, self.unit, self.cell) = (name, kind, words, unit, cell)
    }

    /// As a field of a Table Schema.
    var json: JSONText {
        .object([
            "name": .string(name), "type": .string(type), "format": format.map { .string($0) },
            "description": .string(words), "unit": unit.map { .string($0) },
        ])
    }

    private var type: String { kind == .utc || kind == .local ? "datetime" : kind.rawValue }

    private var format: String? {
        switch kind {
        case .utc: "%Y-%m-%dT%H:%M:%S.%fZ"
        case .local: "%Y-%m-%dT%H:%M:%S.%f"
        default: nil
        }
    }
}

/// A moment in two columns: `due_utc` and `due_local`.
func moments<Row>(_ name: String, _ words: String, _ time: @escaping @Sendable (Row) -> StudyTime?) -> [Column<Row>] {
    [
        Column("\(name)_utc", .utc, "\(words), in UTC.") { time($0)?.utc },
        Column("\(name)_local", .local, "\(words), on the participant's wall clock.") { time($0)?.local },
    ]
}

/// `+01:00`; `when` says of which moment, since a row's others may have had another.
func offset<Row>(_ when: String = "then", _ time: @escaping @Sendable (Row) -> StudyTime?) -> Column<Row> {
    Column("utc_offset", .string, "What the participant's wall clock was ahead of UTC \(when).") { row in
        time(row)?.offset.map { $0 == 0 ? "+00:00" : Zone.text(offset: $0) }
    }
}

extension BinaryInteger {
    var cell: String { String(self) }
}

extension Bool {
    var cell: String { self ? "true" : "false" }
}

extension Double {
    /// For a cell: as short as it is exact; nil for infinity and NaN.
    var cell: String? { isFinite ? JSONText.spelling(of: self) : nil }
    /// The same with at most that many decimals.
    func cell(_ decimals: Int) -> String? {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return ((self * scale).rounded() / scale).cell
    }
}
