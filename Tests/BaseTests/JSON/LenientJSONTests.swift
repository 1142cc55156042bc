// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct LenientJSONTests {
    /// JSON5 (spec.json5.org, §3 and §4): one comma may follow the last member, with space on both sides, and
    /// none stands alone. The lines of the commas are told.
    @Test(
        arguments: [
            ("[1,2]", []), ("[1,]", [1]), ("[1 , ]", [1]), ("[1,\n\n ]", [1]), ("{\"a\": 1,\t}", [1]),
            ("{\n\"a\": [1,\n],\n}", [2, 3]), ("[1,,]", nil), ("[,]", nil), ("{,}", nil), ("[1, }", nil),
            ("{\"a\": 1, ]", nil), ("[1,", nil),
        ] as [(String, [Int]?)])
    func oneCommaMayFollowTheLastMember(text: String, lines: [Int]?) {
        let found = try? JSONNode.lenient(Array(text.utf8)).trailingCommas
        #expect(found.map { $0.sorted() } == lines, "\(text)")
    }
}
