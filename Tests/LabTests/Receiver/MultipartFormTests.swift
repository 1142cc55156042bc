// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct MultipartFormTests {
    private static let head = "Content-Disposition: form-data; name=\"a\"\r\n"

    @Test(arguments: [
        ("--b\r\n\(head)\r\nvalue\r\n--b--\r\n", ["value"]),
        ("--b\r\n\(head)\r\n\r\n--b--", [""]),
        ("--b\r\n\(head)\r\none\r\n--b\r\n\(head)\r\ntwo\r\n--b--\r\n", ["one", "two"]),
        ("preamble\r\n--b \t\r\n\(head)\r\nx\r\n--b--\r\nepilogue", ["x"]),
        ("--b\r\n\(head)\r\n--b in the text, and \r\n line\r\n\r\n--b--\r\n", nil),
        ("--b\r\n\(head)\r\nwith --b inside\r\n--b--\r\n", ["with --b inside"]),
        ("--b\r\n\(head)\r\nends with a break\r\n\r\n--b--\r\n", ["ends with a break\r\n"]),
        ("--b\r\ncontent-DISPOSITION:form-data;name=a\r\nX: y\r\n\r\nz\r\n--b--", ["z"]),
        ("--b--\r\n", []),
        ("", nil), ("--b", nil), ("--b\r\n", nil), ("--b\r\n\(head)\r\nno end", nil),
        ("--b\r\n\r\nno name\r\n--b--", nil),
        ("--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--b--", nil),
        ("--b\r\n\(head)Content-Transfer-Encoding: base64\r\n\r\nx\r\n--b--", nil),
        ("--b\r\nno colon\r\n\r\nx\r\n--b--", nil),
        ("--b\r\n\(head)X: \(String(repeating: "y", count: 5000))\r\n\r\nx\r\n--b--", nil),
        (String(repeating: "--b\r\n\(head)\r\nx\r\n", count: 65) + "--b--", nil),
    ]) func bodiesAreReadOrRefused(body: String, expected: [String]?) {
        let fields = try? MultipartForm.fields(Array(body.utf8), boundary: "b")
        #expect(fields?.map(\.value) == expected)
    }

    @Test func whatIsNotUTF8IsRefusedWithTheFieldsName() {
        let body = Array("--b\r\n\(Self.head)\r\n".utf8) + [0xFF] + Array("\r\n--b--".utf8)
        #expect(throws: FormError("the part `a` is not UTF-8")) { try MultipartForm.fields(body, boundary: "b") }
    }

    @Test func fileNamesAreReported() throws {
        let body = "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"x\\\"y.txt\"\r\n\r\n1\r\n--b--"
        let fields = try MultipartForm.fields(Array(body.utf8), boundary: "b")
        #expect(fields == [FormField(name: "a", value: "1", fileName: "x\"y.txt")])
    }

    @Test(arguments: ["", String(repeating: "b", count: 71)])
    func boundariesOutOfBoundsAreRefused(boundary: String) {
        #expect(throws: FormError.self) { try MultipartForm.fields(Array("--b--".utf8), boundary: boundary) }
    }

    @Test func bytesAtRandomNeverTrap() {
        var state: UInt64 = 1
        let alphabet = Array("--b\r\n: ;\"=a".utf8) + [0, 0xFF]
        for _ in 0..<3000 {
            let bytes = (0..<60).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            _ = try? MultipartForm.fields(Array("--b\r\n".utf8) + bytes, boundary: "b")
        }
    }
}
