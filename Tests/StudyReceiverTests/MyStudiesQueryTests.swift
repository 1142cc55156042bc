// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StudyReceiver

@Suite struct MyStudiesQueryTests {
    @Test(arguments: [
        ("SELECT due,Created FROM Welcome", ["due", "Created"], "Welcome"),
        ("select  due ,\n Created from Welcome ;", ["due", "Created"], "Welcome"),
        (#"SELECT "due date", "a ""b""" FROM "FKC-74""#, ["due date", "a \"b\""], "FKC-74"),
        (#"SELECT * FROM "select""#, ["*"], "select"), ("SELECT w.due AS d FROM w", ["due"], "w"),
        ("SELECT größe, a_1, b$2 FROM t", ["größe", "a_1", "b$2"], "t"),
    ])
    func columnsAndListAreRead(_ sql: String, _ columns: [String], _ table: String) throws {
        let query = try MyStudiesQuery(sql)
        #expect(query.columns.map(\.name) == columns && query.table == table)
    }

    @Test(arguments: [
        ("", "near '<EOF>'"), ("SELECT", "near '<EOF>'"), ("SELECT a", "near '<EOF>'"),
        ("SELECT a FROM", "near '<EOF>'"),
        ("SELECT a, FROM t", "near 'FROM'"), ("SELECT FROM t", "near 'FROM'"), ("DROP TABLE t", "near 'DROP'"),
        ("SELECT a FROM t WHERE b = 1", "near 'WHERE'"), ("SELECT a FROM t; DELETE FROM t", "near 'DELETE'"),
        ("SELECT a FROM FKC-74", "near '-'"), ("SELECT 1 FROM t", "near '1'"),
        (#"SELECT "a FROM t"#, "near '\"a FROM t'"),
        ("select this should never ever ever work!", "near 'should'"), ("SELECT a FROM core.Users", "near '.'"),
        ("SELECT count(*) FROM t", "near '('"), ("SELECT 'a' FROM t", "near '''"),
    ])
    func everythingElseIsASyntaxError(_ sql: String, _ near: String) {
        #expect { try MyStudiesQuery(sql) } throws: { "\($0)" == "Syntax error \(near)" }
    }

    @Test func aQueryIsBounded() {
        #expect(throws: MyStudiesFailure.self) {
            try MyStudiesQuery("SELECT a FROM " + String(repeating: "t", count: 5000))
        }
        let many = Array(repeating: "a", count: 201).joined(separator: ",")
        #expect(throws: MyStudiesFailure.self) { try MyStudiesQuery("SELECT \(many) FROM t") }
    }
}
