// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@Suite struct JSONTextTests {
    @Test func keysKeepTheirOrderAndTextsTheirEscapes() {
        let value = JSONText.object([
            .init("z", .array([.null, .boolean(true), .integer(-3)])), .init("a", .string("\"\\\n\u{1}\u{1F}é/😀")),
        ])
        #expect(value.text == #"{"z":[null,true,-3],"a":"\"\\\n\u0001\u001fé/😀"}"#)
    }

    @Test(arguments: [
        (0, "0"), (-0.0, "0"), (72, "72"), (0.1, "0.1"), (-2.5, "-2.5"), (1e15, "1000000000000000"),
        (9e15, "9000000000000000"), (-9_999_999_999_999_998, "-9999999999999998"), (1e16, "1e+16"),
        (.infinity, "null"), (-.infinity, "null"),
        (.nan, "null"),
    ])
    func numbersAreSpelledAsBrowsersDo(_ value: Double, _ spelling: String) {
        #expect(JSONText.number(value).text == spelling)
        #expect(JSONText.spelling(of: value) == spelling)
    }

    @Test func aDecimalKeepsItsPoint() {
        #expect(JSONText.array([.decimal(72), .decimal(0.1), .decimal(.nan)]).text == "[72.0,0.1,null]")
    }

    /// The form of Python's `json.dumps(value, indent=2, ensure_ascii=False)`.
    @Test func peopleReadItIndented() {
        let value = JSONText.object([
            "a": .integer(1), "absent": nil, "list": .array([.boolean(false), .object([])]), "none": .array([]),
            "text": .string("\u{8}\u{C}\t\u{1}"),
        ])
        #expect(
            value.indentedText == """
                {
                  "a": 1,
                  "list": [
                    false,
                    {}
                  ],
                  "none": [],
                  "text": "\\b\\f\\t\\u0001"
                }

                """)
    }

    @Test(arguments: ["12345678901234567890", "-0", "1E+2", "0.10", "1e999", "-1.5e-3", "0e0", "9E9"])
    func aNumberOfSomebodyElseKeepsItsDigits(_ text: String) throws {
        #expect(try JSONNode(Array(text.utf8)).value.text == text)
    }
}
