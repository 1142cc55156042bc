// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import SystemKit

@Suite struct DeviceCipherTests {
    private func cipher(_ seed: UInt8, for use: String = "projection") throws -> DeviceCipher {
        try DeviceCipher(try #require(AgeIdentity(secret: [UInt8](repeating: seed, count: 32))), use: use)
    }

    private func bytes(_ encrypted: String) throws -> [UInt8] {
        try #require(Base64.decoded(String(encrypted.dropFirst("sealed:".count))))
    }

    /// RFC 8439: a nonce of 12 bytes, and a tag of 16.
    @Test(arguments: ["", "a", "zażółć 🌍", String(repeating: "x", count: 5000)])
    func onlyTheDeviceReadsItAgainAndForTheSameUse(text: String) throws {
        let own = try cipher(1)
        let encrypted = try own.encrypt(text)
        #expect(DeviceCipher.isEncrypted(encrypted) && encrypted.hasPrefix("sealed:"))
        #expect(try bytes(encrypted).count == text.utf8.count + 28)
        #expect(try own.open(encrypted) == text && cipher(1).open(encrypted) == text)
        #expect(try cipher(2).open(encrypted) == nil && cipher(1, for: "other").open(encrypted) == nil)
        #expect(try own.encrypt(text) != encrypted)
    }

    @Test(arguments: ["", "abc"]) func whatWasChangedOrCutDoesNotOpen(text: String) throws {
        let own = try cipher(1)
        let whole = try bytes(own.encrypt(text))
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 0x80
            #expect(own.open("sealed:" + Base64.encoded(changed)) == nil)
            #expect(own.open("sealed:" + Base64.encoded(Array(whole[..<place]))) == nil)
        }
        #expect(own.open("sealed:" + Base64.encoded(whole + [0])) == nil)
    }

    @Test func whatIsNotEncryptedHasNoMark() throws {
        let own = try cipher(1)
        let encrypted = try own.encrypt("abc")
        for text in ["", "sealed", "Sealed:AAAA", "abc", String(encrypted.dropFirst(7)), " " + encrypted] {
            #expect(!DeviceCipher.isEncrypted(text) && own.open(text) == nil, "\(text)")
        }
        #expect(DeviceCipher.isEncrypted("sealed:") && own.open("sealed:") == nil && own.open("sealed:%") == nil)
    }
}

@Suite struct ChaChaPolyTests {
    private static let key = (0..<32).map { UInt8($0) }

    /// RFC 8439 §2.4.2: the same key stream, from block 1 on (§2.8). The tag is OpenSSL's by PyPI's cryptography, of no
    /// further data.
    @Test func thePublishedTextIsEncrypted() throws {
        let text = Array(
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
                .utf8)
        let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0x4A, 0, 0, 0, 0]
        let cipher = try #require(ChaChaPoly(key: Self.key))
        var out: [UInt8] = [1, 2]
        let isDone = cipher.encrypt((text + [9])[..<text.count], nonce: nonce, to: &out)
        #expect(isDone)
        #expect(
            out.hexadecimal
                == "01026e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357"
                + "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
                + "5af90bbf74a35be6b40b8eedf2785e42874d" + "81db63fcb189a03121ae0ac72a3f1f36")
        #expect(cipher.open(out[2...], nonce: nonce) == text)
        #expect(cipher.open(out[2...], nonce: [UInt8](repeating: 0, count: 12)) == nil)
        #expect(cipher.open(out[2..<17], nonce: nonce) == nil && cipher.open([], nonce: nonce) == nil)
    }

    @Test(arguments: [(0, false), (31, false), (32, true), (33, false)])
    func aKeyHasThirtyTwoBytes(count: Int, isTaken: Bool) {
        #expect((ChaChaPoly(key: [UInt8](repeating: 1, count: count)) != nil) == isTaken)
    }

    @Test func ofNothingThereIsATag() throws {
        let cipher = try #require(ChaChaPoly(key: Self.key))
        let nonce = [UInt8](repeating: 7, count: 12)
        var out: [UInt8] = []
        let isDone = cipher.encrypt([], nonce: nonce, to: &out)
        #expect(isDone && out.count == 16)
        #expect(cipher.open(out[...], nonce: nonce) == [])
        out[15] ^= 1
        #expect(cipher.open(out[...], nonce: nonce) == nil)
    }
}
