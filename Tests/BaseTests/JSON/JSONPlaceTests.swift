// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct JSONPlaceTests {
    private static func place(_ text: String) throws -> JSONPlace { JSONPlace(root: try JSONNode(Array(text.utf8))) }

    @Test func whatIsThereHasItsPath() throws {
        let node = try JSONNode(Array(#"{"a":[7,{"b":true}],"n":null,"e":[]}"#.utf8))
        for (root, start) in [(JSONPlace(root: node), "$"), (JSONPlace(root: node, file: "s.json"), "s.json:$")] {
            #expect(root.path == start && root.path(to: "n") == start + ".n")
            #expect(root.member("n") == nil && root.member("x") == nil && root.elements == nil)
            let list = try #require(root.member("a"))
            #expect(list.path == start + ".a" && list.member("b") == nil)
            let elements = try #require(list.elements)
            #expect(elements.map(\.path) == [start + ".a[0]", start + ".a[1]"])
            #expect(elements[1].member("b")?.path == start + ".a[1].b" && elements[0].elements == nil)
            #expect(root.member("e")?.elements?.isEmpty == true)
        }
    }

    /// What a page shows of a value, the number that it is or spells, and the whole one.
    @Test(
        arguments: [
            (#""x""#, "x", nil, nil), (#""""#, "", nil, nil), ("true", "true", nil, nil), ("false", "false", nil, nil),
            ("5", "5", 5, 5), ("5.0", "5", 5, 5), ("5.5", "5.5", 5.5, nil), ("-1e3", "-1000", -1000, -1000),
            ("1e400", nil, nil, nil), (#""5""#, "5", 5, 5), (#""  5""#, "  5", 5, 5), (#""5 ""#, "5 ", nil, nil),
            (#""-5.5""#, "-5.5", -5.5, nil), (#"".5""#, ".5", 0.5, nil), (#""+5""#, "+5", nil, nil),
            (#""nan""#, "nan", nil, nil), (#""-inf""#, "-inf", nil, nil), (#""inf""#, "inf", nil, nil),
            (#""1e400""#, "1e400", nil, nil), (#""\t5""#, "\t5", nil, nil), ("null", nil, nil, nil),
            ("[]", nil, nil, nil),
            ("[5]", nil, nil, nil), ("{}", nil, nil, nil),
        ] as [(String, String?, Double?, Int?)])
    func aValueIsShownAndIsOrSpellsANumber(text: String, shown: String?, number: Double?, integer: Int?) throws {
        let place = try Self.place(text)
        #expect(place.shown == shown && place.number == number && place.integer == integer)
        #expect(place.text == (text.first == "\"" ? shown : nil))
        #expect(place.boolean == ["true": true, "false": false][text] && place.isTrue == (text == "true"))
        #expect(place.isObject == (text == "{}"))
    }

    /// ECMA-262, IsStrictlyEqual: of the same type and value; lists and objects equal themselves alone.
    @Test func whatIsIdenticalIsOfOneType() throws {
        let same = [["5", "5.0", "5e0"], [#""5""#], ["true"], [#""true""#], ["false"], [#""""#], ["0"]]
        for (number, group) in same.enumerated() {
            let first = try #require(try Self.place(group[0]).identity)
            for (other, texts) in same.enumerated() {
                for text in texts {
                    let isSame = try Self.place(text).identity == first
                    #expect(isSame == (number == other), "\(text)")
                }
            }
        }
        for text in ["null", "[]", "{}", "1e400"] { #expect(try Self.place(text).identity == nil) }
    }
}
