// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("{}", "{}"), (" [ 1 , -0.5e+3,true,false , null ] ", "[1,-0.5e+3,true,false,null]"),
        (#"{"b":1,"a":{"c":[]}}"#, #"{"b":1,"a":{"c":[]}}"#), (#""\u00e4\n\ud83d\ude00\/""#, "\"ä\\n😀/\""),
        (#""\u0001\u007f""#, "\"\\u0001\u{7F}\""), ("12345678901234567890", "12345678901234567890"),
        (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#), ("1e999", "1e999"),
    ]) func valuesAreReadAndWrittenInTheirOrder(text: String, expected: String) throws {
        #expect(try JSONReader.value(text).text == expected)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":}", "{a:1}", "01", "1.", "-", "+1", "1e", "tru", "\"a", "\"\\x\"", "\"\\u12g4\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "[1] 2", "NaN", "{\"a\" 1}", "[", "\"\\",
        "\"\\u1",
    ]) func otherTextsAreRefused(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.value(text) }
    }

    @Test func depthIsBounded() {
        let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(throws: Never.self) { try JSONReader.value(deep(32)) }
        #expect(throws: JSONError.self) { try JSONReader.value(deep(33)) }
        #expect(throws: JSONError.self) { try JSONReader.value(deep(1_000_000)) }
    }
}
