// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct TOMLTableTests {
    private func fault(_ text: String) -> String? {
        do throws(TOMLError) {
            _ = try TOMLTable(parsing: text.utf8)
            return nil
        } catch { return "\(error)" }
    }

    @Test func everyValueKnowsItsLineAndColumn() throws {
        let text =
            "# é\na = 1\r\n 'é' = [ 2,\n  { b = \"x\" } ]\n\n[ c . d ]\n\te.f = true\n[[g]]\n[[g]]\nh = 07:00:00\n"
        let table = try TOMLTable(parsing: text.utf8)
        func place(_ value: TOMLValue?) -> [Int] { value.map { [$0.place.line, $0.place.column] } ?? [] }
        #expect(table.keys == ["a", "é", "c", "g"])
        #expect(place(table["a"]) == [2, 5])
        #expect(place(table["é"]) == [3, 8])
        guard case .array(let list)? = table["é"]?.content, case .table(let inner)? = list.last?.content else {
            Issue.record("no list")
            return
        }
        #expect(list.map(place) == [[3, 10], [4, 3]])
        #expect(place(inner["b"]) == [4, 9])
        guard case .table(let c)? = table["c"]?.content, case .table(let d)? = c["d"]?.content,
            case .table(let e)? = d["e"]?.content, case .array(let g)? = table["g"]?.content,
            case .table(let last)? = g.last?.content
        else {
            Issue.record("no tables")
            return
        }
        #expect(place(table["c"]) == [6, 3])
        #expect(place(c["d"]) == [6, 1])
        #expect(place(d["e"]) == [7, 2])
        #expect(place(e["f"]) == [7, 8])
        #expect(g.map(place) == [[8, 1], [9, 1]])
        #expect(place(last["h"]) == [10, 5])
    }

    static let faults: [(text: String, says: String)] = [
        ("[[[", "line 1, column 3: expected a key, found '['"),
        ("[.a]", "line 1, column 2: expected a key, found '.'"),
        ("[a", "line 1, column 3: expected ']' after the table's name, found the end of the file"),
        ("\na", "line 2, column 2: expected '=' after the key, found the end of the file"),
        ("a = \nb = 1", "line 1, column 5: expected a value, found the end of the line"),
        ("a = yes", "line 1, column 5: 'yes' is not a value; write numbers like 12 or 1.5, and texts in quotes"),
        ("a = \"x\nb = 1", "line 1, column 5: this text is not closed on its line; close it with \""),
        ("a = 1\nb = '''x\n\n", "line 2, column 5: this text is not closed; close it with '''"),
        (
            "a = [\n1\n2]",
            "line 3, column 1: expected ',' or ']' in the list that begins in line 1, column 5, found '2'"
        ),
        (
            "a = {b = 1\n}",
            "line 1, column 11: expected ',' or '}' in the table that begins in line 1, column 5, found the end of the line"
        ),
        ("a = 1 b = 2", "line 1, column 7: expected the end of the line, found 'b'"),
        ("a = 1\n\na = 2", "line 3, column 1: 'a' is already defined, in line 1"),
        ("a = 1\n[a.b]", "line 2, column 2: 'a' is not a table, in line 1"),
        ("[a.b.c]\n[a]\nb.x = 1\n[a.b]", "line 4, column 4: 'b' is already defined, in line 1"),
        ("é = 1", "line 1, column 1: expected a key, found 'é'"),
        ("a = 99999999999999999999", "line 1, column 5: '99999999999999999999' is too large a number"),
        ("a = 1e999", "line 1, column 5: '1e999' is too large a number"),
        ("a = １２", "line 1, column 5: expected a value, found '１'"),
        (
            "a = \"é\\q\"",
            "line 1, column 7: unknown escape; write a backslash as \\\\, or put the text in single quotes"
        ),
        ("# x\u{0}", "line 1, column 4: the control character 0 is not allowed"),
        ("a = '''\n😀é''' b", "line 2, column 7: expected the end of the line, found 'b'"),
        ("a = \"é\" 😀", "line 1, column 9: expected the end of the line, found '😀'"),
        ("a = 1 \rb", "line 1, column 7: expected the end of the line, found the byte 13"),
        ("a = 1 \u{7F}", "line 1, column 7: expected the end of the line, found the byte 127"),
    ]

    @Test(arguments: faults.indices) func everyFaultNamesItsPlaceAndWhatWouldBeRight(_ index: Int) {
        #expect(fault(Self.faults[index].text) == Self.faults[index].says)
    }

    @Test func bytesThatAreNoTextAreRefusedWithTheirPlace() {
        let error = #expect(throws: TOMLError.self) {
            try TOMLTable(parsing: Array("a = 1\né = '".utf8) + [0xC3, 0x28])
        }
        #expect(error?.description == "line 2, column 6: this is not UTF-8 text")
    }

    /// Each would take more stack with each level, in reading or in being freed.
    @Test(arguments: [("a = ", "["), ("a = ", "{a="), ("a = ", "[{a="), ("", "a."), ("[", "a."), ("[[", "a.")])
    func whatLiesTooDeepIsRefused(_ start: String, _ level: String) {
        let deep = fault(start + String(repeating: level, count: 100_000))
        #expect(deep?.contains("more than 64 nested tables and lists") == true, "\(deep ?? "no fault")")
    }

    @Test func depthIsThatOfTheWholeDocument() {
        let header = "[" + Array(repeating: "a", count: 60).joined(separator: ".") + "]\n"
        #expect(fault(header + "b = [[[[1]]]]") == nil)
        #expect(fault(header + "b = [[[[[1]]]]]") != nil)
        #expect(fault(header + "b.c.d = [[1]]") == nil)
        #expect(fault(header + "b.c.d = [[[1]]]") != nil)
    }

    /// The cost is the same for each byte; a full file of the worst takes 0.7 s in a release build.
    @Test func aFileFullOfAnythingIsReadOrRefused() throws {
        let size = 1 << 16
        for piece in [
            "[a]\n", "[[a]]\n", "[[a.b]]\n", "a.b.c.d.e.f=1\n", "1,", "\"\\u0041\"", "9", "\\\n", "'", "#", "\n", "_",
            "a=1\n", "[],", "{},",
        ] {
            let many = String(repeating: piece, count: size / piece.utf8.count)
            _ = fault(many)
            _ = fault("a = [" + many)
            _ = fault("a = \"\"\"" + many)
            _ = fault("a = " + many)
        }
        let list = try TOMLTable(parsing: ("a = [" + String(repeating: "1,", count: size / 2 - 4) + "]").utf8)
        guard case .array(let values)? = list["a"]?.content else {
            Issue.record("no list")
            return
        }
        #expect(values.count == size / 2 - 4)
        #expect(
            fault(String(repeating: "\n", count: TOMLTable.maximumSize + 1))
                == "line 1, column 1: is larger than 1048576 bytes")
    }
}
