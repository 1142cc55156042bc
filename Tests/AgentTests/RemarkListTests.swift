// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Agent

@Suite struct RemarkListTests {
    @Test func whatIsSaidOfSeveralPlacesIsSaidOnce() {
        let list = RemarkList([
            Remark(.assumption, path: "$.a", line: 2, "60 is taken as minutes"), Remark(.warning, path: "$.w", "odd"),
            Remark(.assumption, path: "$.b", line: 9, "120 is taken as minutes"),
            Remark(.assumption, path: "$.c", "60 is taken as minutes"),
        ])
        #expect(
            list.lines == [
                "assumption: $.a (line 2): 60 is taken as minutes (likewise: $.b (line 9): 120, $.c)",
                "WARNING: $.w: odd",
            ])
        #expect(list.count == 2)
    }

    /// Of several numbers in a remark those are said that are others.
    @Test(arguments: [
        ("0 to 4 digits are supported; 6 are used", "0 to 4 digits are supported; 9 are used", ": 9"),
        ("every 0.05 s", "every 0.25 s", ": 0.25"),
        ("until 2026-11-21 at 8:30", "until 2026-11-22 at 8:45", ": 2026-11-22, 8:45"),
        ("1 of 2", "1 of 2", ""),
    ])
    func theNumbersThatDifferAreSaid(first: String, other: String, said: String) {
        let list = RemarkList([Remark(.assumption, path: "$.a", first), Remark(.assumption, path: "$.b", other)])
        #expect(list.lines == ["assumption: $.a: \(first) (likewise: $.b\(said))"])
    }

    @Test func aRemarkIsOneLineWhateverItQuotes() {
        let list = RemarkList([Remark(.warning, path: "$.a", "no 'x\nWARNING: $.b: y\u{202E}'")])
        #expect(list.lines == [#"WARNING: $.a: no 'x\u000AWARNING: $.b: y\u202E'"#])
    }

    @Test func moreThanThreeOtherPlacesAreCounted() {
        let list = RemarkList((0..<9).map { Remark(.unsupported, path: "$[\($0)]", "no camera") })
        #expect(list.lines == ["unsupported: $[0]: no camera (likewise: $[1], $[2], $[3], 5 more)"])
    }

    @Test func theSameWordsOfAnotherKindAreAnotherRemark() {
        #expect(RemarkList([Remark(.assumption, path: "$", "x"), Remark(.warning, path: "$", "x")]).count == 2)
    }
}
