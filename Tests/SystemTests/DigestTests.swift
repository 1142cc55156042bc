// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

struct DigestTests {
    /// FIPS 180-4's examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func knownDigests(text: String, expected: String) throws {
        #expect(try Digest(of: Array(text.utf8)).description == expected)
        #expect([UInt8](hexadecimal: expected) == (try Digest(of: Array(text.utf8)).bytes))
    }

    /// RFC 1321, A.5, and FIPS 180-4's examples, of `abc`.
    @Test(arguments: [
        ("md5", "900150983cd24fb0d6963f7d28e17f72"), ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func piecesHaveTheDigestOfTheWhole(name: String, expected: String) throws {
        let stream = try DigestStream(try #require(DigestStream.Algorithm(rawValue: name)))
        for piece in ["", "a", "", "bc"] { try stream.update(Array(piece.utf8)) }
        #expect(try stream.finish().hexadecimal == expected)
        #expect(DigestStream.Algorithm.allCases.count == 3)
    }

    @Test func aFileHasTheDigestOfItsBytes() throws {
        let path = NSTemporaryDirectory() + "\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = [UInt8](repeating: 7, count: 200_001)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try Digest(ofFile: path) == Digest(of: bytes))
        let error = #expect(throws: DigestError(path: "/nowhere", code: 2)) { try Digest(ofFile: "/nowhere") }
        #expect(error?.description == "/nowhere: cannot read: No such file or directory")
    }

    /// Files are read in pieces of 65 536 bytes.
    @Test func aPartOfAFileHasTheDigestOfItsBytes() throws {
        let path = NSTemporaryDirectory() + "\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = (0..<200_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        for (start, length) in [
            (0, 0), (0, 1), (1, 65_536), (0, 65_537), (65_535, 2), (65_536, 65_536), (7, 131_072), (199_999, 2),
            (200_000, 2),
            (200_001, 1), (300_000, 1), (1, 300_000),
        ] {
            let part = Array(bytes.dropFirst(start).prefix(length))
            #expect(
                try Digest(ofFile: path, from: Int64(start), length: Int64(length)) == Digest(of: part),
                "\(length) from \(start)")
        }
    }

    /// zero(4): it has no end.
    @Test(.timeLimit(.minutes(10)), arguments: [0, 65_536, 70_000]) func nothingIsReadBehindThePart(length: Int) throws
    {
        let zeros = [UInt8](repeating: 0, count: length)
        #expect(try Digest(ofFile: "/dev/zero", length: Int64(length)) == Digest(of: zeros))
    }

    /// Also of MD5, of signatures and of keys: nothing is said of SHA-256.
    @Test(arguments: [("a.cwa", "a.cwa"), (nil, "digest or signature")] as [(String?, String)])
    func whatTheLibraryRefusesIsNamed(path: String?, place: String) {
        #expect(
            DigestError(path: path, code: 0).description
                == "\(place): libcrypto refused; check the OpenSSL installation and free memory")
    }

    @Test(arguments: ["0", "zz", "0x"]) func whatIsNoHexadecimalIsRefused(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
