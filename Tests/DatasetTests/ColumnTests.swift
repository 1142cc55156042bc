// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

struct ColumnTests {
    /// Types and formats of Frictionless' Table Schema: a moment is a `datetime`, and its format a pattern of strptime.
    @Test(
        arguments: [
            (.string, "string", nil), (.integer, "integer", nil), (.number, "number", nil), (.boolean, "boolean", nil),
            (.date, "date", nil), (.any, "any", nil), (.utc, "datetime", "%Y-%m-%dT%H:%M:%S.%fZ"),
            (.local, "datetime", "%Y-%m-%dT%H:%M:%S.%f"),
        ] as [(Column<Int>.Kind, String, String?)])
    func aFieldHasATypeOfTableSchema(kind: Column<Int>.Kind, type: String, format: String?) {
        let plain = Column<Int>("due", kind, "When.") { _ in nil }.json.members
        #expect(plain.first { $0.key == "type" }?.value == .string(type))
        #expect(plain.first { $0.key == "format" }?.value == format.map { JSONText.string($0) })
        #expect(!plain.contains { $0.key == "unit" })
        let measured = Column<Int>("due", kind, "When.", unit: "s") { _ in nil }.json.members
        #expect(measured.first { $0.key == "unit" }?.value == .string("s"))
    }

    /// The moments of one row may lie on both sides of a change of the offset.
    @Test func anOffsetSaysOfWhichMomentItIs() {
        let column = offset("when it was due") { (_: Int) in nil }
        #expect(
            column.json.members.first { $0.key == "description" }?.value
                == .string("What the participant's wall clock was ahead of UTC when it was due."))
    }

    /// What a resource does not say, frictionless guesses from the first hundred lines, within texts, too
    /// (frictionless-py 44661adf, formats/csv/parser.py:26-46): of `Say ;'yes'; now` it takes the delimiter `;`.
    @Test func aTableSaysHowItIsDelimitedAndQuoted() {
        let table = DatasetTable<Int>("codebook", "Questions.", [Column("words", .string, "The words.") { _ in nil }])
        let dialect = table.json(bytes: 6, sha256: "00").members.first { $0.key == "dialect" }?.value
        #expect(dialect?.text == #"{"delimiter":",","quoteChar":"\"","doubleQuote":true,"skipInitialSpace":false}"#)
    }
}
