// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import Testing

@testable import Lab

@Suite struct ServedFileTests {
    private func withFile(of size: Int, _ body: (ServedFile, [UInt8]) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "studyd-piece-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try await body(try #require(try await ServedFile.open(path)), bytes)
    }

    @Test(arguments: [
        (0, 0, 0), (1, 0, 1), (1, 1, 0), (1, 9, 0), (65_536, 0, 65_536), (65_537, 0, 65_536), (65_537, 65_536, 1),
        (100_000, 40_000, 60_000),
    ])
    func aPieceIsOf64KiBAtMost(size: Int, offset: Int, count: Int) async throws {
        try await withFile(of: size) { file, bytes in
            let piece = try await file.piece(at: offset)
            #expect(file.size == size && piece.count == count)
            #expect(piece.elementsEqual(bytes.dropFirst(offset).prefix(count)))
        }
    }

    /// pread(2): EINVAL where the offset is negative. What it left in errno is no fault of the next piece.
    @Test func aReadThatFailsIsNoEndOfTheFile() async throws {
        try await withFile(of: 9) { file, bytes in
            for _ in 0..<8 {
                let error = await #expect(throws: IOError.self) { try await file.piece(at: -1) }
                #expect(error?.errnoCode == EINVAL)
                let piece = try await file.piece(at: 0)
                #expect(piece.elementsEqual(bytes))
            }
        }
    }

    @Test func onlyFilesAreServed() async throws {
        for path in ["/", "/dev/null", "/nowhere/at/all"] { #expect(try await ServedFile.open(path) == nil, "\(path)") }
    }

    /// proc(5): what a process has open.
    @Test func whatIsRefusedIsNotKeptOpen() async throws {
        let path = NSTemporaryDirectory() + "studyd-closed-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("abc".utf8).write(to: URL(fileURLWithPath: path + "/file"))
        func isOpen(_ name: String) -> Bool {
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return open.contains { number in
                let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                return place?.hasSuffix(name) == true
            }
        }
        let folder = "/\(path.split(separator: "/").last ?? "")"
        #expect(try await ServedFile.open(path) == nil)
        #expect(!isOpen(folder))
        let file = try #require(try await ServedFile.open(path + "/file"))
        #expect(isOpen(folder + "/file"))
        #expect(file.size == 3)
    }
}
