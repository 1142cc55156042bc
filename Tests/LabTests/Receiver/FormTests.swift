// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct FormTests {
    private static let encoded = "application/x-www-form-urlencoded; charset=UTF-8"

    @Test(arguments: [
        ("a=1&b=%C3%A4+c&a=", [("a", "1"), ("b", "ä c"), ("a", "")]), ("a", [("a", "")]), ("", []),
        ("a=b=c", [("a", "b=c")]), ("&&a=1&", [("a", "1")]),
        // https://url.spec.whatwg.org/#concept-urlencoded-parser: a name may be empty.
        ("=b", [("", "b")]), ("=", [("", "")]), ("a==", [("a", "=")]),
    ]) func urlEncodedFieldsKeepTheirOrder(body: String, expected: [(String, String)]) throws {
        let fields = try Form.fields(Array(body.utf8), contentType: Self.encoded)
        #expect(fields == expected.map { FormField(name: $0.0, value: $0.1) })
    }

    @Test(arguments: [
        ("a=%", encoded), ("a=%ff", encoded), ("{}", "application/json"), ("a=1", nil), ("a=1", ""),
        ("--b--", "multipart/form-data"), (String(repeating: "a=1&", count: 65), encoded),
    ]) func otherBodiesAreRefused(body: String, type: String?) {
        #expect(throws: FormError.self) { try Form.fields(Array(body.utf8), contentType: type) }
    }
}
