// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab

@Suite struct ZstandardUploadTests {
    /// `hello world, ` a thousand times, by `zstd -1`; the digests by sha256sum.
    private static let sent: [UInt8] = [
        0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x48, 0xAD, 0x00, 0x00, 0x68, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x20, 0x77, 0x6F,
        0x72, 0x6C, 0x64, 0x2C, 0x20, 0x01, 0x00, 0xB8, 0x12, 0xF8, 0xF9, 0x05, 0xBD, 0xED, 0x6C, 0x24,
    ]
    private static let sentSum = "a49f9bb8b1e51b195ad73ad2451b47b3ed218f58a8ccbca74fd126e3af6c68c5"
    private static let contentSum = "4d869af429ad8daae924f1daedcbeeba42ff248e6715ce690536b20a1194db4b"

    private func metadata(sha256: String = contentSum, length: String = "13000", encoding: String = "zstd") -> JSONValue
    {
        let pairs = [
            ("content_encoding", encoding), ("content_filename", "a.cwa"), ("content_sha256", sha256),
            ("content_length", length),
        ]
        return .object(pairs.map { .init(name: $0.0, value: .string($0.1)) })
    }

    private let now = Instant(seconds: 1_780_000_000)

    private func uploads(in folder: String) throws -> (Archive, UploadFolder) {
        try File.makeFolder(folder)
        let archive = try Archive(.file(folder + "/receiver.sqlite"))
        let quota = Quota(archive: archive, directory: folder, perDevice: .max, free: 0)
        return (archive, try UploadFolder(folder, archive, quota: quota, retention: .seconds(86_400)))
    }

    @Test func whatCameCompressedIsKeptAsItWas() async throws {
        try await withFolder { folder in
            let (_, uploads) = try uploads(in: folder)
            let upload = Upload(
                id: "u", user: "P1", kind: "", name: "a.cwa", metadata: metadata().text, length: Int64(Self.sent.count),
                offset: 0, created: now, changed: now, expected: Self.sentSum, mismatches: 0)
            _ = try await uploads.create(upload)
            try await uploads.begin("u", at: 0, checksum: nil, length: nil)
            try await uploads.append("u", Self.sent, now: now)
            let done = try await uploads.end("u", isWhole: true, now: now)
            #expect(done.sha256 == Self.contentSum && done.file == "1-a.cwa")
            #expect(done.space == 13_000, "what it takes on the disk, not what came")
            let path = try #require(await uploads.path(done))
            #expect(try Digest(ofFile: path).description == Self.contentSum)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/partial").isEmpty)
        }
    }

    /// The power went, or the disk was full, between the name of the file and the row that says so.
    @Test func aFileThatHasItsNameAlreadyIsFinishedWhenItIsAskedForAgain() async throws {
        try await withFolder { folder in
            let (archive, uploads) = try uploads(in: folder)
            _ = try await uploads.create(
                Upload(
                    id: "u", user: "P1", kind: "", name: "a.csv", metadata: "{}", length: 5, offset: 0, created: now,
                    changed: now, expected: nil, mismatches: 0))
            try await uploads.begin("u", at: 0, checksum: nil, length: nil)
            try await uploads.append("u", Array("hello".utf8), now: now)
            var row = try await uploads.end("u", isWhole: true, now: now)
            (row.sha256, row.file) = (nil, nil)
            try await archive.update(row)
            let done = try await uploads.checkedUpload("u")
            #expect(done.sha256 == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
            #expect(await uploads.path(done) == folder + "/files/1-a.csv")
        }
    }

    @Test func whatDoesNotBecomeWhatWasAnnouncedIsRefused() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (path, target) = (folder + "/sent", folder + "/content")
            let wrong = String(repeating: "0", count: 64)
            let cases: [(JSONValue, [UInt8])] = [
                (metadata(sha256: wrong), Self.sent), (metadata(length: "12999"), Self.sent),
                (metadata(length: "13001"), Self.sent), (metadata(), Array(Self.sent.dropLast(6))),
                (metadata(), Self.sent + [1, 2, 3]), (metadata(), Array("no zstd".utf8)), (metadata(), []),
            ]
            for (metadata, bytes) in cases {
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                #expect(try ZstandardUpload(metadata)?.restore(path, to: target) == false)
            }
            try Data(Self.sent).write(to: URL(fileURLWithPath: path))
            #expect(try ZstandardUpload(metadata())?.restore(path, to: target) == true)
            // Nothing at all is no frame, not even one of nothing, which `zstd` makes of an empty file.
            let nothing = metadata(
                sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", length: "0")
            let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x00, 0x01, 0x00, 0x00, 0x99, 0xE9, 0xD8, 0x51]
            for (bytes, isWhole) in [([], false), (frame, true), (Array(frame.dropLast(4)), false)] as [([UInt8], Bool)]
            {
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                #expect(try ZstandardUpload(nothing)?.restore(path, to: target) == isWhole, "\(bytes.count) bytes")
            }
        }
    }

    @Test func withoutAWholeAnnouncementTheFileStaysAsItCame() {
        #expect(ZstandardUpload(metadata(encoding: "br")) == nil && ZstandardUpload(metadata(length: "-1")) == nil)
        #expect(
            ZstandardUpload(metadata(sha256: "12")) == nil && ZstandardUpload(.null) == nil
                && ZstandardUpload(nil) == nil)
        #expect(ZstandardUpload(metadata(length: "99999999999999")) == nil)
    }
}
