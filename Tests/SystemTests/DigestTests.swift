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

    @Test func aFileHasTheDigestOfItsBytes() throws {
        let path = NSTemporaryDirectory() + "\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = [UInt8](repeating: 7, count: 200_001)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try Digest(ofFile: path) == Digest(of: bytes))
        let error = #expect(throws: DigestError(path: "/nowhere", code: 2)) { try Digest(ofFile: "/nowhere") }
        #expect(error?.description == "/nowhere: cannot read: No such file or directory")
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
