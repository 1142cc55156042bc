// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit
import Testing

@testable import Lab

@Suite struct UploadFolderTests {
    @Test(arguments: [
        ("000001.cwa", "000001.cwa"), ("../../etc/passwd", "_.._etc_passwd"), ("", "unnamed"), ("..", "unnamed"),
        (".hidden", "hidden"), ("a b\n\u{0}ä.txt", "a_b___.txt"), (String(repeating: "x", count: 300) + ".flac", nil),
    ]) func namesLoseWhatAPathCouldTakeForMore(name: String, expected: String?) {
        let safe = UploadFolder.safe(name)
        #expect(safe.utf8.count <= 100)
        #expect(!safe.contains("/"))
        if let expected { #expect(safe == expected) }
    }

    @Test(arguments: [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (90_000, "90.0 kB"), (3_000_000, "3.0 MB")])
    func sizesAreShortAndTrue(bytes: Int64, expected: String) {
        #expect(RecordingTable.size(bytes) == expected)
    }

    private static let start = Instant(seconds: 1_780_000_000)

    private func deliver(
        _ text: String, _ name: String, as id: String, to files: UploadFolder, user: String = "P1", kind: String = ""
    ) async throws -> Upload {
        _ = try await files.create(
            Upload(
                id: id, user: user, kind: kind, name: name, metadata: "{}", length: Int64(text.utf8.count), offset: 0,
                created: Self.start, changed: Self.start, expected: nil, mismatches: 0))
        try await files.begin(id, at: 0, checksum: nil, length: nil)
        try await files.append(id, Array(text.utf8), now: Self.start)
        return try await files.end(id, isWhole: true, now: Self.start)
    }

    /// SQLite refuses one row, as it does where the disk is full for a moment.
    @Test(arguments: ["span", "covered", "coveredSpan"])
    func aDescriptionThatCannotBeNotedIsNotedOnceWhenItIsAskedForAgain(table: String) async throws {
        try await withUploads { files, archive, folder in
            let other = try Connection(.file(folder + "/receiver.sqlite"))
            try other.execute(
                "CREATE TRIGGER refused BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no room'); END")
            let (start, end) = (Self.start.rfc3339(), (Self.start + .seconds(3600)).rfc3339())
            let text = """
                {"kind":"accelerometer","identifier":"x","countedUnit":"samples","startDate":"\(start)","endDate":"\(end)",
                "offset":"Z","relativePath":"1.cwa","samplesStored":100,"samplesLost":{}}
                """
            await #expect(throws: (any Error).self) { _ = try await deliver(text, "1.json", as: "a", to: files) }
            try other.execute("DROP TRIGGER refused")
            for _ in 0..<2 {
                let standing = try await files.checkedUpload("a")
                #expect(standing.sha256 != nil)
            }
            let coverage = try await archive.coverage(of: "P1", at: Self.start + .seconds(3600))
            #expect(coverage?.least?.stored == 3_600_000)
        }
    }

    /// As after fsck, or where the database is of a newer copy than the files: the client is told that
    /// its bytes lie here, and may delete its own.
    @Test func aFileThatIsGoneIsBackWhenItIsSentAgain() async throws {
        try await withUploads { files, _, _ in
            let first = try await deliver("hello", "1.csv", as: "a", to: files)
            let place = try #require(await files.path(first))
            try #require(unlink(place) == 0)
            let second = try await deliver("hello", "1.csv", as: "b", to: files)
            let again = await files.path(second)
            #expect(second.sameAs == first.number && again == place)
            #expect(try BoundedFile.read(place, limit: 100) == Array("hello".utf8))
        }
    }

    /// A power cut between the bytes and the row: the client is to send them again, which it can.
    @Test func anUploadOfWhichTheBytesAreGoneStartsAgain() async throws {
        try await withUploads { files, archive, _ in
            _ = try await archive.create(
                Upload(
                    id: "a", user: "P1", kind: "", name: "1.csv", metadata: "{}", length: 5, offset: 5,
                    created: Self.start, changed: Self.start, expected: nil, mismatches: 0))
            let failure = await #expect(throws: HTTPFailure.self) { try await files.checkedUpload("a") }
            #expect(failure?.status == 460 && failure?.fields["Upload-Offset"] == "0")
            try await files.begin("a", at: 0, checksum: nil, length: nil)
            try await files.append("a", Array("hello".utf8), now: Self.start)
            let whole = try await files.end("a", isWhole: true, now: Self.start)
            #expect(whole.sha256 != nil)
        }
    }

    @Test(arguments: [(0, true), (1, false)] as [(Int64, Bool)])
    func anUploadOfNothingIsCompleteAtOnce(length: Int64, isComplete: Bool) async throws {
        try await withUploads { files, _, _ in
            let created = try await files.create(
                Upload(
                    id: "a", user: "P1", kind: "", name: "1.csv", metadata: "{}", length: length, offset: 0,
                    created: Self.start, changed: Self.start, expected: nil, mismatches: 0))
            #expect((created.sha256 != nil) == isComplete)
        }
    }

    /// Not while a request writes it (RFC 4918: 423), and not once it is whole.
    @Test func whatIsGivenUpLeavesNothing() async throws {
        try await withUploads { files, archive, folder in
            func refusal(_ id: String) async -> Int? {
                do { try await files.remove(id) } catch { return (error as? HTTPFailure)?.status }
                return nil
            }
            _ = try await files.create(
                Upload(
                    id: "a", user: "P1", kind: "", name: "1.csv", metadata: "{}", length: 5, offset: 0,
                    created: Self.start, changed: Self.start, expected: nil, mismatches: 0))
            try await files.begin("a", at: 0, checksum: nil, length: nil)
            try await files.append("a", Array("hel".utf8), now: Self.start)
            let busy = await refusal("a")
            #expect(busy == 423)
            _ = try await files.end("a", isWhole: false, now: Self.start)
            #expect(FolderListing.readable(folder + "/partial") == ["a"])
            let (first, again) = (await refusal("a"), await refusal("a"))
            #expect(first == nil && again == 404)
            #expect(FolderListing.readable(folder + "/partial").isEmpty)
            let left = try await archive.upload("a")
            #expect(left == nil)
            _ = try await deliver("hello", "1.csv", as: "b", to: files)
            let whole = await refusal("b")
            #expect(whole == 403 && FolderListing.readable(folder + "/files").count == 1)
        }
    }

    @Test func whatIsSentTwiceLiesThereOnce() async throws {
        try await withUploads { files, _, _ in
            let first = try await deliver("hello", "1.csv", as: "a", to: files)
            _ = try await deliver("hello", "1.csv", as: "b", to: files)
            let place = try #require(await files.path(first))
            let folder = place.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
            #expect(FolderListing.readable(folder + "/files").count == 1)
            #expect(FolderListing.readable(folder + "/partial").isEmpty)
        }
    }

    /// A description is a file of JSON by its name, of a participant, and not what a device says when it is set up.
    @Test(arguments: [
        ("000001-accelerometer.json", "P1", "", true), ("000001-accelerometer.txt", "P1", "", false),
        ("000001-accelerometer.json.gz", "P1", "", false), ("json", "P1", "", false),
        ("000001-accelerometer.json", "", "", false), ("000001-accelerometer.json", "P1", "hello", false),
    ]) func onlyADescriptionIsCountedAsARecording(name: String, user: String, kind: String, isCounted: Bool)
        async throws
    {
        try await withUploads { files, archive, _ in
            let (start, end) = (Self.start.rfc3339(), (Self.start + .seconds(3600)).rfc3339())
            let text = """
                {"kind":"accelerometer","identifier":"x","countedUnit":"samples","startDate":"\(start)","endDate":"\(end)",
                "offset":"Z","relativePath":"000001-accelerometer.cwa","samplesStored":100,"samplesLost":{}}
                """
            let upload = try await deliver(text, name, as: "a", to: files, user: user, kind: kind)
            #expect(upload.sha256 != nil)
            let coverage = try await archive.coverage(of: "P1", at: Self.start + .seconds(3600))
            #expect(coverage?.least?.stored == (isCounted ? 3_600_000 : nil))
        }
    }

    /// What was not gone on with for longer than it is kept, here a minute, goes; that is looked at once a minute, and
    /// at once where this server's clock was put back.
    @Test func whatIsLeftUnfinishedGoesWhenItsTimeIsOver() async throws {
        try await withUploads { files, archive, _ in
            func begin(_ id: String, _ changed: Instant) async throws {
                _ = try await files.create(
                    Upload(
                        id: id, user: "P1", kind: "", name: "\(id).csv", metadata: "{}", length: 5, offset: 0,
                        created: changed, changed: changed, expected: nil, mismatches: 0))
            }
            func isThere(_ id: String, at now: Instant) async throws -> Bool {
                try await files.sweep(now: now)
                return try await archive.upload(id) != nil
            }
            try await begin("a", Self.start)
            #expect(try await isThere("a", at: Self.start + .seconds(60)), "not for longer")
            #expect(try await isThere("a", at: Self.start + .milliseconds(119_999)), "nothing is looked at")
            #expect(try await !isThere("a", at: Self.start + .seconds(120)))
            try await begin("b", Self.start - .seconds(61))
            #expect(try await !isThere("b", at: Self.start))
        }
    }
}
