// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
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
        process.waitUntilExit()
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
