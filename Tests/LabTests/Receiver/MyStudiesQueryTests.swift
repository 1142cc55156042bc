// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab
@testable import StandIns

@Suite struct MyStudiesQueryTests {
    /// As the apps and devices write it.
    @Test(arguments: [
        ("SELECT due,Created FROM Welcome", ["due", "Created"], "Welcome"),
        ("select  due ,\n Created from Welcome ;", ["due", "Created"], "Welcome"),
        (#"SELECT "due date",b FROM "FKC-74""#, ["due date", "b"], "FKC-74"),
        ("SELECT größe, a_1 FROM t", ["größe", "a_1"], "t"),
    ])
    func columnsAndListAreRead(_ sql: String, _ columns: [String], _ table: String) throws {
        let query = try MyStudiesQuery(sql)
        #expect(query.columns == columns && query.table == table)
    }

    @Test(arguments: [
        "", "SELECT", "SELECT a", "SELECT a FROM", "SELECT a, FROM t", "SELECT FROM t", "DROP TABLE t",
        "SELECT a FROM t WHERE b = 1", "SELECT a FROM t; DELETE FROM t", "SELECT a FROM FKC-74", #"SELECT "a FROM t"#,
        "SELECT a FROM core.Users", "SELECT count(*) FROM t", "SELECT 'a' FROM t",
    ])
    func everythingElseIsASyntaxError(_ sql: String) {
        #expect { try MyStudiesQuery(sql) } throws: { "\($0)".hasPrefix("Syntax error") }
    }

    @Test func aQueryIsBounded() {
        #expect(throws: StandInFailure.self) {
            try MyStudiesQuery("SELECT a FROM " + String(repeating: "t", count: 5000))
        }
    }
}
