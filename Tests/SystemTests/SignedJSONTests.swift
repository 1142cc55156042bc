// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@Suite struct SignedJSONTests {
    private func key(_ seed: UInt8) throws -> Ed25519.PrivateKey {
        try #require(Ed25519.PrivateKey(seed: [UInt8](repeating: seed, count: 32)))
    }

    /// `key` and `signature` are the last two members, and what is signed is all that stands before the latter.
    @Test(arguments: [#"{"a":1}"#, #"{"a":"x","key":"00","signature":"AA=="}"#, #"{"a":{"b":[]}}"#])
    func whatIsSignedNamesItsKey(object: String) throws {
        let key = try key(1)
        let text = try SignedJSON.signed(object, by: key)
        let head = String(object.dropLast()) + ",\"key\":\"\(key.publicKey.hexadecimal)\""
        #expect(text.hasPrefix(head + ",\"signature\":\"") && text.hasSuffix("\"}"))
        let signature = try #require(Base64.decoded(String(text.dropFirst(head.count + 14).dropLast(2))))
        #expect(Ed25519.isValid(signature, of: Array(head.utf8), by: key.publicKey))
        #expect(text.utf8.count - object.utf8.count <= SignedJSON.overhead)
        for whole in [text, text + "\n"] {
            #expect(SignedJSON.verdict(whole) == .signed(by: key.publicKey.hexadecimal))
        }
        #expect(SignedJSON.verdict(text + "\n\n") == .broken && SignedJSON.verdict(text + " ") == .broken)
        #expect(SignedJSON.verdict(String(text.dropLast())) == .broken)
    }

    @Test(arguments: ["", "{}", #"{"a":1}"#, #"{"signature":"AA=="}"#, "\n"])
    func withoutASignatureThereIsNone(text: String) { #expect(SignedJSON.verdict(text) == .unsigned) }

    /// Also the key's, and the signature's own.
    @Test func noByteCanBeChanged() throws {
        let text = try SignedJSON.signed(#"{"a":1,"b":"c"}"#, by: key(1))
        for place in text.utf8.indices {
            var bytes = Array(text.utf8)
            bytes[text.utf8.distance(from: text.utf8.startIndex, to: place)] ^= 1
            let verdict = SignedJSON.verdict(String(decoding: bytes, as: UTF8.self))
            #expect(verdict == .broken || verdict == .unsigned)
        }
    }

    @Test func theKeyIsTheSigners() throws {
        let (own, other) = (try key(1), try key(2))
        let text = try SignedJSON.signed(#"{"a":1}"#, by: own)
        let names = [own, other].map(\.publicKey.hexadecimal)
        #expect(SignedJSON.verdict(text.replacing(names[0], with: names[1])) == .broken)
        #expect(SignedJSON.verdict(text.replacing(names[0], with: "")) == .broken)
        #expect(SignedJSON.verdict(text.replacing(",\"key\"", with: ",\"kee\"")) == .broken)
        #expect(SignedJSON.verdict(#"{"a":1,"signature":"AA=="}"#) == .broken)
    }

    /// A key that is not closed is none, whoever signed it.
    @Test(arguments: [("\"", true), (" ", false), ("}", false)])
    func theKeyEndsWithItsQuotationMark(end: String, isSigned: Bool) throws {
        let key = try key(1)
        let head = #"{"a":1,"key":""# + key.publicKey.hexadecimal + end
        let text = head + ",\"signature\":\"" + Base64.encoded(try key.sign(Array(head.utf8))) + "\"}"
        #expect(SignedJSON.verdict(text) == (isSigned ? .signed(by: key.publicKey.hexadecimal) : .broken))
    }
}
