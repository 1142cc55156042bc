// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import PlatformKit
@testable import Study

@Suite struct MultipartBodyTests {
    @Test func bytesAreTheRFCs() {
        let body = MultipartBody([("a", "1"), ("b", "zwei\r\nZeilen")])
        let boundary = String(body.contentType.dropFirst("multipart/form-data; boundary=".count))
        #expect(
            String(decoding: body.bytes, as: UTF8.self)
                == "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                + "--\(boundary)\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nzwei\r\nZeilen\r\n--\(boundary)--\r\n"
        )
        #expect(boundary.count <= 70)
    }

    @Test func boundaryFollowsFromTheContents() {
        let fields = [("a", "1"), ("b", "2")].map { (name: $0.0, value: $0.1) }
        #expect(MultipartBody(fields) == MultipartBody(fields))
        #expect(MultipartBody(fields).contentType != MultipartBody(fields.reversed()).contentType)
    }

    /// What Python's own parser reads, as `name=value` lines with the values in hexadecimal.
    @Test(.enabled(if: PythonReading.isThere, "python3 is not installed, so no other program reads the bytes"))
    func anotherImplementationReadsTheSame() throws {
        let fields = [
            ("data_type", "log"), ("responses", "{\"q\":\"é \\\"x\\\"\\n--a\"}"), ("empty", ""),
            ("lines", "a\r\n\r\nb"),
        ]
        let body = MultipartBody(fields.map { (name: $0.0, value: $0.1) })
        let read = try #require(PythonReading.fields(of: body))
        #expect(read == fields.map { "\($0.0)=\(hexadecimal($0.1))" })
    }

    private func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Python's `email` package, run as a program.
enum PythonReading {
    static var isThere: Bool { output(of: "python3 -c 'print(1)'") == "1\n" }

    static func fields(of body: MultipartBody) -> [String]? {
        var name = Array("/tmp/multipart-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return nil }
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        let bytes = Array("MIME-Version: 1.0\r\nContent-Type: \(body.contentType)\r\n\r\n".utf8) + body.bytes
        let written = write(descriptor, bytes, bytes.count)
        close(descriptor)
        guard written == bytes.count else { return nil }
        let program = """
            import email, email.policy, sys
            m = email.message_from_bytes(open(sys.argv[1], "rb").read(), policy=email.policy.HTTP)
            assert m.is_multipart() and not m.defects and not m.epilogue.strip(), m.defects
            for p in m.iter_parts():
                assert p.get_content_disposition() == "form-data" and not p.defects
                text = p.get_payload(decode=True)
                print(p.get_param("name", header="content-disposition") + "=" + text.hex())
            """
        return output(of: "python3 -c '\(program)' \(path)")?.split(separator: "\n").map(String.init)
    }

    /// What a shell command prints; nil when it fails.
    static func output(of command: String) -> String? {
        guard let pipe = popen(command, "r") else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
        return pclose(pipe) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
