// SPDX-License-Identifier: Apache-2.0
import StudyModel
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
        (.infinity, "null"),
        (.nan, "null"),
    ])
    func numbersAreSpelledAsBrowsersDo(_ value: Double, _ spelling: String) {
        #expect(JSONText.number(value).text == spelling)
    }
}
