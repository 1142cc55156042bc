// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct HeaderValueTests {
    @Test(arguments: [
        ("Text/HTML", "text/html", [:]), ("a; B=c", "a", ["b": "c"]),
        ("a;b=\"c;d\" ; e=f;", "a", ["b": "c;d", "e": "f"]),
        (#"a; b="c\"d\\e\f""#, "a", ["b": #"c"d\e\f"#]), ("a; b=1; b=2", "a", ["b": "1"]), ("a; b=", "a", ["b": ""]),
    ]) func valuesAreTakenApart(text: String, token: String, parameters: [String: String]) throws {
        let value = try #require(HeaderValue(text))
        #expect(value.token == token)
        #expect(value.parameters == parameters)
    }

    @Test(arguments: ["", "; a=b", "a; b", "a; b=\"c", "a; b=\"c\\"]) func brokenOnesAreNone(text: String) {
        #expect(HeaderValue(text) == nil)
    }
}
