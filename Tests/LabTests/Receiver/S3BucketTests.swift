// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab

/// A bucket of which the server gives one answer to everything.
@Suite(.timeLimit(.minutes(10))) struct S3BucketTests {
    private func ask<Value: Sendable>(
        _ answer: HTTPResponse, _ question: @Sendable @escaping (S3Bucket) throws -> Value,
        then check: @Sendable @escaping (Swift.Result<Value, any Error>) throws -> Void
    ) async throws {
        var router = Router()
        router.on("GET", "/bucket/*rest") { _ in answer }
        try await withServer(router) { port, _ in
            let place = try #require(S3Bucket.Place("s3://bucket", endpoint: "http://127.0.0.1:\(port)"))
            let bucket = S3Bucket(place, keys: .init(access: "a", secret: "s"), clock: StillClock())
            let found = try await onThread { Swift.Result { try question(bucket) } }
            try check(found)
        }
    }

    private static func entry(_ bytes: Int64) -> MirrorEntry {
        MirrorEntry(key: "S/P/e/1.csv", bytes: bytes, modified: .epoch, version: "1")
    }

    /// S3 API Reference, GetObject and HeadObject: `x-amz-meta-` is a user's metadata; a device writes what is not
    /// ASCII percent-encoded.
    @Test(arguments: ["hello", "h", ""]) func anObjectHasItsLabelsAndItsType(content: String) async throws {
        let answer = HTTPResponse(
            content.isEmpty ? 200 : 206,
            fields: [
                "Content-Type": "multipart/form-data; boundary=bound", "x-amz-meta-study": "a%20b%C5%BC",
                "x-amz-meta-content-length": "7", "x-amz-meta-odd": "100%", "x-amz-request-id": "r",
            ], content: .bytes(Array(content.utf8)))
        let entry = Self.entry(Int64(content.utf8.count))
        try await ask(answer) {
            try $0.head(of: entry, count: 100)
        } then: { found in
            let opening = try found.get()
            #expect(opening.bytes == Array(content.utf8))
            #expect(
                opening.labels == [
                    "content_type": "multipart/form-data; boundary=bound", "study": "a bż", "content_length": "7",
                    "odd": "100%",
                ])
        }
    }

    @Test(arguments: ["hell", "hello!"]) func anObjectOfAnotherLengthIsAProblem(content: String) async throws {
        let answer = HTTPResponse(206, content: .bytes(Array(content.utf8)))
        try await ask(answer) {
            try $0.bytes(of: Self.entry(5), from: 0, count: 100)
        } then: { found in
            let problem = #expect(throws: MirrorProblem.self) { try found.get() }
            #expect(problem?.words == "has another length than the list says")
        }
    }

    /// S3 API Reference, Error Responses. What is wrong with one object keeps no other back; all else ends it.
    @Test(arguments: [
        (true, 404, "NoSuchKey", true), (true, 403, "InvalidObjectState", true), (true, 404, "NoSuchBucket", false),
        (true, 403, "AccessDenied", false), (true, 500, "InternalError", false), (false, 404, "NoSuchKey", false),
        (false, 403, "InvalidObjectState", false), (false, 404, "NoSuchBucket", false),
    ])
    func whatIsWrongWithOneObjectIsItsOwn(isOfObject: Bool, status: Int, code: String, isItsOwn: Bool) async throws {
        let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>\(code)</Code><Message>no</Message></Error>"
        let answer = HTTPResponse(
            status, fields: ["Content-Type": "application/xml"], content: .bytes(Array(body.utf8)))
        let question: @Sendable (S3Bucket) throws -> Int = { bucket in
            isOfObject
                ? try bucket.head(of: Self.entry(5), count: 5).bytes.count : try bucket.page(nil).entries.count
        }
        try await ask(answer, question) { found in
            let error = #expect(throws: (any Error).self) { try found.get() }
            #expect(
                (error is MirrorProblem) == isItsOwn && (error is FileError) != isItsOwn, "\(String(describing: error))"
            )
            let words = (error as? MirrorProblem)?.words ?? (error as? FileError)?.explanation.cause ?? ""
            #expect(words.contains("GET was answered \(status) \(code) no"), "\(words)")
        }
    }
}
