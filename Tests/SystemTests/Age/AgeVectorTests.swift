// SPDX-License-Identifier: Apache-2.0
import Base
import CZlib
import Testing

@testable import SystemKit

/// The 143 test files of age (C2SP/CCTV age/testdata): what opens, what does not, and which bytes
/// may be given out before the damage is met.
///
/// Passphrases, hybrid keys and armour are not read here: such a file has no key for an X25519
/// identity, or does not begin as one of age's.
@Suite struct AgeVectorTests {
    private static let folder: String? = {
        var parts = #filePath.split(separator: "/").dropLast()
        while !parts.isEmpty {
            parts.removeLast()
            let path = "/" + (parts + ["shared", "fixtures", "delivery", "age-testdata"]).joined(separator: "/")
            if (try? File(path + "/x25519", .read)) != nil { return path }
        }
        print("SKIPPED: ../shared/fixtures/delivery/age-testdata is not there")
        return nil
    }()

    private static let names: [String] =
        folder.flatMap { try? FolderListing.names(in: $0) { $0 != "README.format.md" } }?.sorted() ?? []

    private struct Vector {
        let expectation: String
        let payload: String?
        let fileKey: [UInt8]?
        let identities: [AgeIdentity]
        let isArmoured: Bool
        let sealed: [UInt8]

        init(_ name: String, in folder: String) throws {
            let bytes = try BoundedFile.read("\(folder)/\(name)", limit: 1 << 26)
            let end = try #require((1..<bytes.count).first { bytes[$0] == 10 && bytes[$0 - 1] == 10 })
            let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n").map {
                $0.split(separator: ":", maxSplits: 1).map(String.init)
            }
            func values(_ key: String) -> [String] {
                lines.filter { $0[0] == key }.map { String($0[1].drop { $0 == " " }) }
            }
            expectation = try #require(values("expect").first)
            payload = values("payload").first
            fileKey = values("file key").first.flatMap { [UInt8](hexadecimal: $0) }
            identities = values("identity").compactMap { try? AgeIdentity($0) }
            isArmoured = !values("armored").isEmpty
            let content = Array(bytes[(end + 1)...])
            sealed = values("compressed") == ["zlib"] ? try Self.inflated(content) : content
        }

        private static func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
            var length = uLongf(1 << 26)
            var out = [UInt8](repeating: 0, count: Int(length))
            try #require(uncompress(&out, &length, bytes, uLong(bytes.count)) == Z_OK)
            return Array(out.prefix(Int(length)))
        }
    }

    private static func verdict(_ fault: AgeFault?) -> String {
        switch fault {
        case nil: "success"
        case .header: "header failure"
        case .noMatch: "no match"
        case .headerCode: "HMAC failure"
        case .damaged, .cut: "payload failure"
        case .source, .library: "\(String(describing: fault))"
        }
    }

    /// What is ours to say: we know neither passphrases nor hybrid keys.
    private func expected(_ vector: Vector, _ name: String) -> [String] {
        if vector.isArmoured { return ["header failure"] }
        if name.hasPrefix("scrypt"), vector.expectation != "header failure" { return ["no match"] }
        if name.hasPrefix("hybrid"), vector.identities.isEmpty, vector.expectation != "header failure" {
            return ["no match"]
        }
        let isForeign = name.hasPrefix("scrypt_") || name.hasPrefix("hybrid_")
        return [vector.expectation] + (isForeign && vector.expectation == "header failure" ? ["no match"] : [])
    }

    @Test func allAreThere() { #expect(Self.folder == nil || Self.names.count == 143) }

    @Test(.enabled(if: folder != nil, "needs ../shared/fixtures/delivery"), arguments: names)
    func eachIsOpenedOrRefused(name: String) throws {
        let vector = try Vector(name, in: try #require(Self.folder))
        let digest = try DigestStream()
        var (fault, opened): (AgeFault?, Int) = (nil, 0)
        do throws(AgeFault) {
            let reader = try AgeReader(vector.sealed, vector.identities)
            while let piece = try reader.next() {
                opened += piece.count
                do { try digest.update(piece) } catch { throw .library }
            }
        } catch { fault = error }
        #expect(expected(vector, name).contains(Self.verdict(fault)), "\(name): \(String(describing: fault))")
        let isJudged = [nil, "payload failure"].contains(fault.map { Self.verdict($0) })
        if isJudged, let payload = vector.payload { #expect(try digest.finish().hexadecimal == payload) }
        if !isJudged { #expect(opened == 0) }
    }

    /// A reader that sees what the writer made of the published payloads, with the published keys.
    @Test(
        .enabled(if: folder != nil, "needs ../shared/fixtures/delivery"),
        arguments: names.filter { $0.hasPrefix("stream_") })
    func publishedPayloadsAreSealedToTheSameBytes(name: String) throws {
        let vector = try Vector(name, in: try #require(Self.folder))
        guard vector.expectation == "success" else { return }
        let header = try AgeHeader(vector.sealed)
        let key = try ChunkKey(
            fileKey: try #require(vector.fileKey),
            nonce: Array(vector.sealed[header.length..<(header.length + AgeWriter.nonceLength)]))
        let content = try AgeReader.open(vector.sealed, vector.identities)
        var chunks: [UInt8] = []
        let count = max(1, (content.count + AgeWriter.chunk - 1) / AgeWriter.chunk)
        for number in 0..<count {
            let piece = content.dropFirst(number * AgeWriter.chunk).prefix(AgeWriter.chunk)
            let nonce = ChunkKey.nonce(UInt64(number), isLast: number == count - 1)
            #expect(key.cipher.encrypt(piece, nonce: nonce, to: &chunks))
        }
        #expect(chunks == Array(vector.sealed[(header.length + AgeWriter.nonceLength)...]))
    }
}
