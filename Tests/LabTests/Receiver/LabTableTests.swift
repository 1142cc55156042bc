// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct LabTableTests {
    /// OWASP's list of what begins a formula; a number stays one.
    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+49 30", "'+49 30"), ("@SUM(A1)", "'@SUM(A1)"), ("-", "'-"), ("\tx", "'\tx"),
        ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""), ("-3.5", "-3.5"),
        ("+2", "+2"),
        ("P-007", "P-007"), ("a,b", "\"a,b\""), ("two\nlines", "\"two\nlines\""), ("say \"so\"", "\"say \"\"so\"\"\""),
        ("＝1", "'＝1"), ("", ""), ("a\"\u{301},b", "\"a\"\"\u{301},b\""),
    ]) func aTextIsNoFormula(text: String, field: String) {
        #expect(LabTable.quoted(text) == field)
    }

    /// Python's csv module reads what was written.
    @Test func aStrangersReaderReadsIt() async throws {
        let table = LabTable(
            name: "x", columns: ["a", "b", "c"],
            rows: [
                [.string("two\nlines, \"so\""), .null, .array([.string("u"), .string("v")])],
                [.int(1), .boolean(true), .number(0.5)],
            ])
        let script =
            "import csv,sys,io; print(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline=''))))"
        let read = try await run(["python3", "-c", script], input: table.csv)
        #expect(
            read
                == "[['a', 'b', 'c'], ['two\\nlines, \"so\"', '', 'u v'], ['1', 'true', '0.5']]\n")
    }
}
