// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct TusRoutesTests {
    private static let resumable = ["-H", "Tus-Resumable: 1.0.0"]
    /// `hello world`, its SHA-256 by sha256sum and SHA-1 by sha1sum.
    private static let text = "hello world"
    private static let sum = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    private static let sha1 = "Kq5sNclPz7QV2+lfQIuc6R7oRu0="
    /// filename `a.cwa`, user_id `ABDEG234`.
    private static let metadata = "filename YS5jd2E=,user_id QUJERUcyMzQ="

    private func tus(_ arguments: String...) async throws -> String {
        try await run(["curl", "-s", "-S", "-i", "--max-time", "300"] + Self.resumable + arguments)
    }

    private func create(_ url: String, length: Int, _ metadata: String = metadata) async throws -> String {
        let answer = try await tus(
            "-X", "POST", "-H", "Upload-Length: \(length)", "-H", "Upload-Metadata: \(metadata)", url + "/files")
        let line = answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") }
        return url + (try #require(line, "\(answer)")).dropFirst(10)
    }

    private func patch(_ url: String, at offset: Int, _ data: String, _ more: String...) async throws -> String {
        try await run(
            ["curl", "-s", "-S", "-i", "-X", "PATCH", "-H", "Content-Type: application/offset+octet-stream"]
                + Self.resumable + more + ["-H", "Upload-Offset: \(offset)", "--data-binary", data, url])
    }

    private func sha256Entry(_ sum: String) async throws -> String {
        let text = try await run([
            "python3", "-c", "import base64; print(base64.b64encode(b'\(sum)').decode(), end='')",
        ])
        return ",sha256 \(text)"
    }

    @Test func whatTheServerCanDoIsToldWithoutAVersion() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await curl("-X", "OPTIONS", url + "/files")
                for line in ["204", "Tus-Version: 1.0.0", "creation,termination,checksum", "sha1,sha256"] {
                    #expect(answer.contains(line))
                }
            }
        }
    }

    @Test func anUploadInPiecesSurvivesARestartAndIsConfirmed() async throws {
        try await withFolder { folder in
            let place = Place()
            try await withReceiver(folder) { url, _ in
                let upload = try await create(url, length: 11, Self.metadata + sha256Entry(Self.sum))
                let answer = try await patch(upload, at: 0, "hello ")
                #expect(answer.hasPrefix("HTTP/1.1 204") && answer.contains("Upload-Offset: 6"))
                // tus 1.0.0, "Tus-Resumable": in every answer but that to OPTIONS.
                #expect(answer.contains("Tus-Resumable: 1.0.0"))
                await place.set(String(upload.dropFirst(url.count)))
                let page = try await curl(url + "/")
                #expect(page.contains("54 %"))
            }
            try await withReceiver(folder) { url, _ in
                let upload = await url + place.path
                let head = try await tus("--head", upload)
                #expect(head.contains("Upload-Offset: 6") && head.contains("Upload-Length: 11"))
                #expect(head.contains("Cache-Control: no-store"))
                let wrong = try await patch(upload, at: 5, " world")
                #expect(wrong.hasPrefix("HTTP/1.1 409"))
                let last = try await patch(upload, at: 6, "world")
                #expect(last.contains("Upload-SHA256: \(Self.sum)"))
                let content = try await curl(url + "/files/1/content")
                #expect(content.hasSuffix("\r\n\r\nhello world") && content.contains("attachment"))
                let files = try await curl(url + "/api/files?user=ABDEG234")
                #expect(files.contains(#""complete":true"#) && files.contains(Self.sum))
            }
        }
    }

    private actor Place {
        private(set) var path = ""
        func set(_ path: String) { self.path = path }
    }

    @Test func aSecondUploadOfTheSameContentAndNameIsRecognised() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                for _ in 0..<2 { _ = try await patch(try await create(url, length: 11), at: 0, Self.text) }
                let files = try await curl(url + "/api/files")
                #expect(files.contains(#""sameAs":1"#))
                let second = try await curl(url + "/files/2/content")
                #expect(second.hasSuffix(Self.text))
                let page = try await curl(url + "/")
                #expect(page.contains("same as 1"))
            }
        }
    }

    @Test func aWholeThatIsNotAsAnnouncedStartsAgain() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let upload = try await create(url, length: 11, Self.metadata + sha256Entry(Self.sum))
                let wrong = try await patch(upload, at: 0, "hello vorld")
                #expect(wrong.hasPrefix("HTTP/1.1 460") && wrong.contains("Upload-Offset: 0"))
                let right = try await patch(upload, at: 0, Self.text)
                #expect(right.contains("Upload-SHA256: \(Self.sum)"))
                let page = try await curl(url + "/")
                #expect(page.contains("1 × wrong SHA-256") && page.contains("SHA-256 ok"))
            }
        }
    }

    @Test func aChecksumProtectsEachPiece() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let upload = try await create(url, length: 11)
                let bad = try await patch(upload, at: 0, "hello vorld", "-H", "Upload-Checksum: sha1 \(Self.sha1)")
                #expect(bad.hasPrefix("HTTP/1.1 460"))
                let head = try await tus("--head", upload)
                #expect(head.contains("Upload-Offset: 0"))
                let unknown = try await patch(upload, at: 0, "x", "-H", "Upload-Checksum: crc32 AAAA")
                #expect(unknown.hasPrefix("HTTP/1.1 400"))
                let good = try await patch(upload, at: 0, Self.text, "-H", "Upload-Checksum: sha1 \(Self.sha1)")
                #expect(good.hasPrefix("HTTP/1.1 204"))
            }
        }
    }

    /// `kind`, else the type of what a compressed file becomes, else that of what is sent. Of a file that is kept as
    /// it came, a type of its content says nothing: without its length it is not restored.
    @Test(arguments: [
        ("a", ["kind": "hello"], "hello"), ("a", ["filetype": "application/x-cwa"], "application/x-cwa"),
        ("a", ["filetype": "application/x-cwa", "content_type": "text/csv"], "application/x-cwa"),
        ("a", [:], ""), ("zstd", ["filetype": "application/zstd", "content_type": "text/csv"], "text/csv"),
        ("zstd", ["filetype": "application/zstd"], "application/zstd"),
        ("zstd", ["kind": "k", "filetype": "application/zstd", "content_type": "text/csv"], "k"),
    ]) func aKindIsThatOfTheContent(encoding: String, types: [String: String], kind: String) async throws {
        let whole = [
            "content_encoding": encoding, "content_filename": "a.csv", "content_sha256": Self.sum,
            "content_length": "11",
        ].merging(types) { $1 }
        let metadata = whole.sorted { $0.key < $1.key }.map { "\($0.key) \(Base64.encoded(Array($0.value.utf8)))" }
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                _ = try await create(url, length: 3, metadata.joined(separator: ","))
                let files = try await run(["curl", "-s", url + "/api/files"])
                #expect(files.contains("\"kind\":\"\(kind)\""), "\(files)")
            }
        }
    }

    /// 64 hexadecimal digits (FIPS 180-4: 256 bits) in either case; what is there and is none is not taken for absent.
    @Test(
        arguments: [
            (sum, sum), (sum.uppercased(), sum), ("", nil), (String(sum.dropLast()), ""), (sum + "0", ""),
            (String(sum.dropLast()) + "g", ""), (String(sum.dropLast(3)) + "\u{FF11}", ""),
        ] as [(String, String?)])
    func anAnnouncedDigestIsOneOrNone(text: String, digest: String?) throws {
        let metadata = try #require(TusMetadata("filename YQ==,sha256 " + Base64.encoded(Array(text.utf8))))
        #expect(metadata.sha256 == digest)
        #expect(TusMetadata("filename YQ==")?.sha256 == nil)
    }

    @Test func everyBreachHasItsStatus() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let upload = try await create(url, length: 3)
                let answers: [(Int, String)] = [
                    (412, try await curl("-X", "POST", "-H", "Upload-Length: 1", url + "/files")),
                    (400, try await tus("-X", "POST", url + "/files")),
                    (400, try await tus("-X", "POST", "-H", "Upload-Length: -1", url + "/files")),
                    (413, try await tus("-X", "POST", "-H", "Upload-Length: 99999999999", url + "/files")),
                    (
                        400,
                        try await tus(
                            "-X", "POST", "-H", "Upload-Length: 1", "-H", "Upload-Metadata: a b c", url + "/files")
                    ),
                    (413, try await patch(upload, at: 0, "four")),
                    (413, try await patch(upload, at: 0, "four", "-H", "Transfer-Encoding: chunked")),
                    (404, try await patch(url + "/files/nowhere", at: 0, "x")),
                    (415, try await tus("-X", "PATCH", "-H", "Upload-Offset: 0", "-d", "x", upload)),
                    (405, try await tus("-X", "PUT", upload)),
                    (204, try await tus("-X", "DELETE", upload)),
                    (404, try await tus("--head", upload)),
                ]
                for (status, answer) in answers { #expect(answer.contains("HTTP/1.1 \(status)"), "\(answer)") }
            }
        }
    }

    @Test func whatCameOfABrokenRequestIsKept() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let upload = try await create(url, length: 11)
                let script = """
                    import socket, sys
                    from urllib.parse import urlparse
                    url = urlparse(sys.argv[1])
                    s = socket.create_connection((url.hostname, url.port))
                    s.sendall(f"PATCH {url.path} HTTP/1.1\\r\\nHost: localhost\\r\\nTus-Resumable: 1.0.0\\r\\nUpload-Offset: 0\\r\\n"
                        "Content-Type: application/offset+octet-stream\\r\\nContent-Length: 11\\r\\n\\r\\nhello".encode())
                    s.shutdown(socket.SHUT_WR)
                    while s.recv(4096): pass
                    """
                try await run(["python3", "-c", script, upload])
                let head = try await tus("--head", upload)
                #expect(head.contains("Upload-Offset: 5"))
            }
        }
    }

    @Test(
        .enabled(if: tusPython != nil, "no Python with tuspy: pip install tuspy and set STUDYD_TUS_PYTHON"),
        arguments: [1, 1000, 300_000]
    ) func theTusClientOfOthersUploadsAndResumes(piece: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let size = min(700_000, piece * 20)
                let script = """
                    import io, sys, hashlib
                    from tusclient import client
                    data = bytes(i * 7 % 251 for i in range(\(size)))
                    c = client.TusClient(sys.argv[1] + '/files')
                    meta = {'filename': 'b.flac', 'user_id': 'TUSPY', 'sha256': hashlib.sha256(data).hexdigest()}
                    u = c.uploader(file_stream=io.BytesIO(data), chunk_size=\(piece), metadata=meta, upload_checksum=True)
                    u.upload_chunk()
                    u.upload_chunk()
                    v = c.uploader(file_stream=io.BytesIO(data), chunk_size=\(piece), url=u.url)
                    assert v.offset == u.offset
                    v.upload()
                    print(hashlib.sha256(data).hexdigest())
                    """
                let sum = try await run([tusPython ?? "", "-c", script, url])
                let files = try await curl(url + "/api/files?user=TUSPY")
                #expect(sum.count == 65 && files.contains("\"sha256\":\"\(sum.dropLast())\""), "\(sum)")
            }
        }
    }
}
