// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct UploadPayloadTests {
    private static let type = "application/x-cwa"

    /// A file of `bytes` bytes in which little changes from one to the next, as in a recording.
    private func file(_ folder: String, bytes: Int, type: String = type, noise: Bool = false) throws -> FileReference {
        var generator = SplitMix64(seed: 7)
        let content = (0..<bytes).map { index -> UInt8 in
            noise ? UInt8(truncatingIfNeeded: generator.next()) : UInt8(truncatingIfNeeded: index / 100)
        }
        try Data(content).write(to: URL(fileURLWithPath: folder + "/a.cwa"))
        return FileReference(
            path: "a.cwa", sha256: try Digest(of: content).description, bytes: Int64(bytes), contentType: type,
            recording: "1", metadata: [:])
    }

    @Test func aRecordingShrinksAndTheReferenceProgramRestoresIt() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try file(folder, bytes: 300_000)
        let shipment = UploadPayload(file, at: folder + "/a.cwa", compressing: UploadFixture.compressible)
        #expect(shipment.isCompressed && shipment.bytes < 100_000)
        let metadata = Dictionary(uniqueKeysWithValues: try shipment.metadata())
        #expect(metadata["filename"] == "a.cwa.zst" && metadata["content_filename"] == "a.cwa")
        #expect(metadata["sha256"] == (try Digest(ofFile: shipment.path).description))
        #expect(metadata["content_sha256"] == file.sha256 && metadata["content_length"] == "300000")
        // The same bytes again, so that an upload can go on after a restart.
        let first = try Digest(ofFile: shipment.path)
        UploadPayload.discardCopy(of: folder + "/a.cwa")
        #expect(
            try Digest(ofFile: UploadPayload(file, at: folder + "/a.cwa", compressing: UploadFixture.compressible).path)
                == first)
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zstd") else {
            print("SKIPPED: the program zstd is not installed")
            return
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/zstd")
        process.arguments = ["-q", "-d", "-f", shipment.path, "-o", folder + "/restored"]
        try process.run()
        process.waitAsleep()
        #expect(try Digest(ofFile: folder + "/restored").description == file.sha256)
    }

    /// An upload of it may be under way, which another compressor's bytes would spoil (RFC 8878 leaves it to
    /// the compressor which frame it writes).
    @Test func aCopyThatIsThereIsSentAsItIs() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try file(folder, bytes: 50_000)
        try Data("as it was".utf8).write(to: URL(fileURLWithPath: folder + "/a.cwa.zst.tmp"))
        let payload = UploadPayload(file, at: folder + "/a.cwa", compressing: UploadFixture.compressible)
        #expect(payload.isCompressed && payload.bytes == 9 && payload.path == folder + "/a.cwa.zst.tmp")
    }

    private func job(_ file: FileReference, in folder: String, at place: String? = nil) -> DeliveryJob {
        let queued = QueuedItem(
            id: "i", origin: "recording 1", itemClass: .motion, destination: "files", requestDigest: nil,
            bytes: file.bytes, file: file)
        return DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: .file(file), directory: folder, location: place, offset: nil)
    }

    /// Before it has a place nothing of a copy was sent: one that is there may be another compressor's.
    @Test(arguments: [nil, "files/1"] as [String?]) func aCopyIsMadeAgainUntilItHasAPlace(place: String?) throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try file(folder, bytes: 50_000)
        try Data("as it was".utf8).write(to: URL(fileURLWithPath: folder + "/a.cwa.zst.tmp"))
        let payload = try UploadPayload(
            job(file, in: folder, at: place), compressing: UploadFixture.compressible)
        #expect(payload.isCompressed && payload.path == folder + "/a.cwa.zst.tmp")
        #expect((payload.bytes == 9) == (place != nil))
    }

    @Test func aFileThatWasChangedOrIsGoneIsNoPayload() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try file(folder, bytes: 100)
        _ = try UploadPayload(job(file, in: folder), compressing: [])
        try Data("other".utf8).write(to: URL(fileURLWithPath: folder + "/a.cwa"))
        let changed = #expect(throws: UnusablePayload.self) {
            try UploadPayload(job(file, in: folder), compressing: [])
        }
        #expect(changed?.reason.contains("the file was changed") == true)
        unlink(folder + "/a.cwa")
        for place in [nil, "files/1"] {
            let gone = #expect(throws: UnusablePayload.self) {
                try UploadPayload(job(file, in: folder, at: place), compressing: [])
            }
            #expect(gone?.reason.contains("is missing") == true)
        }
    }

    /// From its first byte, from its last, and between.
    @Test(arguments: [(0, 10), (0, 1), (9, 1), (3, 4)] as [(Int64, Int64)])
    func aPieceIsTheSameOfAFileAndOfWhatIsInMemory(offset: Int64, length: Int64) throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let content = Array("0123456789".utf8)
        try Data(content).write(to: URL(fileURLWithPath: folder + "/a.cwa"))
        let file = FileReference(
            path: "a.cwa", sha256: try Digest(of: content).description, bytes: 10, contentType: Self.type,
            recording: "1", metadata: [:])
        let request = WireRequest(method: "POST", url: "http://x/", headers: [], body: content)
        let expected = Array(content[Int(offset)..<Int(offset + length)])
        for payload in try [
            UploadPayload(job(file, in: folder), compressing: []),
            UploadPayload(request, of: job(file, in: folder).item),
        ] {
            #expect(payload.bytes == 10)
            #expect(try payload.bytes(from: offset, length: length) == expected)
            #expect(try payload.digest(from: offset, length: length) == Digest(of: expected))
        }
    }

    @Test func whatDoesNotShrinkGoesAsItIs() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for file in try [
            file(folder, bytes: 100), file(folder, bytes: 50_000, type: "audio/flac"),
            file(folder, bytes: 50_000, noise: true),
        ] {
            let shipment = UploadPayload(file, at: folder + "/a.cwa", compressing: UploadFixture.compressible)
            #expect(!shipment.isCompressed && shipment.bytes == file.bytes && shipment.path == folder + "/a.cwa")
            #expect(try shipment.sha256() == file.sha256 && shipment.metadata().count == 3)
            UploadPayload.discardCopy(of: folder + "/a.cwa")
        }
    }

    /// POSIX open(2): without O_EXCL the second writer would cut off what the first has written.
    @Test func aCopyThatAnotherDestinationIsMakingIsLeftAlone() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try file(folder, bytes: 50_000)
        let unfinished = URL(fileURLWithPath: folder + "/a.cwa.zst.tmp.new.tmp")
        try Data("half".utf8).write(to: unfinished)
        #expect(!UploadPayload(file, at: folder + "/a.cwa", compressing: UploadFixture.compressible).isCompressed)
        #expect(try Data(contentsOf: unfinished) == Data("half".utf8))
    }

    /// Half of a copy would be sent as if it were whole.
    @Test func onAFullDiskNoCopyIsMade() async throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try file(folder, bytes: 50_000, noise: true)
        try await SmallDisk.with { disk in
            SmallDisk.fill(disk)
            #expect(throws: ZstandardFile.Failure.self) {
                try ZstandardFile.compress(folder + "/a.cwa", to: disk + "/a.cwa.zst.tmp")
            }
            #expect(SoundFixture.names(in: disk).filter { !$0.hasPrefix(".") } == ["ballast"])
        }
    }

    @Test func aDiskWithoutRoomForTheCopyDoesNotHoldUpTheFile() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try file(folder, bytes: 50_000)
        // A folder in its place cannot be written over.
        try FileManager.default.createDirectory(
            atPath: folder + "/a.cwa.zst.tmp.new.tmp", withIntermediateDirectories: true)
        #expect(!UploadPayload(file, at: folder + "/a.cwa", compressing: UploadFixture.compressible).isCompressed)
        #expect(throws: ZstandardFile.Failure.self) {
            try ZstandardFile.compress(folder + "/none", to: folder + "/x")
        }
    }
}
