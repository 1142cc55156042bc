// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct BucketOptionsTests {
    /// XDG Base Directory Specification 0.8: $HOME/.cache where $XDG_CACHE_HOME is not set or empty; one that is
    /// relative is invalid, and to be ignored.
    @Test(
        arguments: [
            (nil, "/home/x/.cache"), ("", "/home/x/.cache"), ("caches", "/home/x/.cache"), ("/var/c", "/var/c"),
        ] as [(String?, String)])
    func theCacheIsWhereOtherProgramsHaveTheirs(named: String?, base: String) throws {
        var environment = ["HOME": "/home/x"]
        environment["XDG_CACHE_HOME"] = named
        let path = try BucketOptions.ownCache(of: "s3://bucket", environment)
        #expect(path.hasPrefix(base + "/study-receiver/") && path.split(separator: "/").count > 3, "\(path)")
    }

    @Test(arguments: [
        ("s3://", [], "s3://: use s3://BUCKET or s3://BUCKET/PREFIX"),
        ("s3://bucket", ["--s3-addressing", "virtual"], "--s3-addressing virtual: use path or host"),
    ]) func whatIsWrongWithABucketIsNamed(data: String, words: [String], says: String) throws {
        let options = try BucketOptions.parse(words)
        #expect {
            _ = try options.source(data, [:], clock: StillClock())
        } throws: { "\($0)".contains(says) }
    }

    @Test func withoutAHomeOneIsAskedFor() {
        #expect(throws: (any Error).self) { try BucketOptions.ownCache(of: "s3://bucket", ["XDG_CACHE_HOME": ""]) }
    }
}
