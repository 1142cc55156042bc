// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import SystemKit

@Suite struct Ed25519Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let secret: String
        let key: String
        let message: String
        let signature: String
        var testDescription: String { key.prefix(8) + "…" }
    }

    /// RFC 8032 §7.1, tests 1 to 3.
    private static let published = [
        Vector(
            secret: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        Vector(
            secret: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da0"
                + "85ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        Vector(
            secret: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac1"
                + "8ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    private func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](hexadecimal: text)) }

    @Test(arguments: published)
    func publishedMessagesHaveTheirSignatures(vector: Vector) throws {
        let key = try #require(Ed25519.PrivateKey(seed: bytes(vector.secret)))
        let (message, signature) = (try bytes(vector.message), try bytes(vector.signature))
        #expect(key.publicKey.hexadecimal == vector.key)
        #expect(try key.sign(message) == signature)
        #expect(Ed25519.isValid(signature, of: message, by: key.publicKey))
        #expect(!Ed25519.isValid(signature, of: message + [0], by: key.publicKey))
    }

    @Test func oneBitMoreOrLessIsNoSignature() throws {
        let vector = Self.published[2]
        let (key, message) = (try bytes(vector.key), try bytes(vector.message))
        let signature = try bytes(vector.signature)
        for place in [0, 31, 32, 63] {
            var changed = signature
            changed[place] ^= 1
            #expect(!Ed25519.isValid(changed, of: message, by: key))
        }
        for wrong in [[], signature.dropLast(), signature + [0]] as [[UInt8]] {
            #expect(!Ed25519.isValid(wrong, of: message, by: key))
        }
        for wrong in [[], Array(key.dropLast()), key + [0], Array(repeating: 0xFF, count: 32)] {
            #expect(!Ed25519.isValid(signature, of: message, by: wrong))
        }
    }

    @Test(arguments: [0, 31, 33, 64])
    func onlyThirtyTwoBytesAreASeed(count: Int) {
        #expect(Ed25519.PrivateKey(seed: Array(repeating: 1, count: count)) == nil)
    }
}
