// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct ArchiveTests {
    /// docs/lab.md: more than a table holds is refused (413). A post may have a megabyte.
    @Test func answersThatAreTooLongTogetherAreRefused() async throws {
        let archive = try Archive(.memory)
        let posts = ["a", "b"].map { SchemaPostTests.post(SchemaPostTests.response, "module_name", $0) }
        for post in posts { try await archive.store(post, path: "/schema", at: Instant(seconds: 1_780_000_000)) }
        let whole = posts.reduce(0) { $0 + $1.stored.text.utf8.count }
        func count(_ bytes: Int) async throws -> Int {
            try await archive.answers(of: nil, from: .epoch, to: .distantFuture, limit: 10, bytes: bytes).count
        }
        #expect(try await count(whole) == 2)
        let failure = await #expect(throws: HTTPFailure.self) { try await count(whole - 1) }
        #expect(failure?.status == 413)
    }
}
