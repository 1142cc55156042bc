// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct RouterTests {
    private func router() -> Router {
        var router = Router()
        for (method, pattern) in [
            ("GET", "/"), ("GET", "/files/:id"), ("PATCH", "/files/:id"), ("POST", "/schema/*rest"),
            ("GET", "/files/:id/content"), ("HEAD", "/own"), ("GET", "/own"),
        ] {
            router.on(method, pattern) { _ in .text(pattern) }
        }
        return router
    }

    @Test(arguments: [
        ("GET", "/", [:]), ("GET", "/files/a%2Fb", ["id": "a/b"]), ("PATCH", "/files/7", ["id": "7"]),
        ("POST", "/schema", ["rest": ""]), ("POST", "/schema/a/b", ["rest": "a/b"]),
        ("GET", "/files/7/content", ["id": "7"]), ("HEAD", "/files/7", ["id": "7"]),
        // In a path a plus is itself (RFC 3986, 2.2 and 3.3); a form's is a space.
        ("GET", "/files/a+b%20c", ["id": "a+b c"]), ("GET", "/files/%01", ["id": "\u{1}"]),
    ]) func aPathFindsItsRoute(method: String, path: String, parameters: [String: String]) throws {
        #expect(try router().route(method, path).1 == parameters)
    }

    @Test(arguments: [
        ("GET", "/nowhere", 404), ("GET", "/files", 404), ("GET", "/files//content", 404), ("DELETE", "/files/7", 405),
        ("GET", "/files/%", 400), ("GET", "/files/%ff", 400), ("GET", "//", 404), ("GET", "/files/%00", 400),
        ("GET", "/files/7%00.cwa", 400), ("GET", "/%00", 400), ("HEAD", "/nowhere", 404), ("DELETE", "/nowhere", 404),
    ]) func anythingElseIsRefused(method: String, path: String, status: Int) {
        #expect { try router().route(method, path) } throws: { ($0 as? HTTPFailure)?.status == status }
    }

    @Test func aMissingMethodIsToldWhichThereAre() {
        #expect { try router().route("DELETE", "/files/7") } throws: {
            ($0 as? HTTPFailure)?.fields["allow"] == "GET, HEAD, PATCH"
        }
    }

    @Test(arguments: [
        ("a+b%20c", true, "a b c"), ("a+b", false, "a+b"), ("%C3%A4", false, "ä"), ("%4", false, nil),
        ("%g0", false, nil), ("%ff", false, nil), ("", true, ""),
    ]) func percentEncodingIsTakenOffStrictly(text: String, plusIsSpace: Bool, expected: String?) {
        #expect(PercentCode.decoded(text, plusIsSpace: plusIsSpace) == expected)
    }
}
