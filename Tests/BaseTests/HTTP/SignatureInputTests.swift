// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base

@Suite struct SignatureInputTests {
    /// RFC 9421 appendix B.2.6: its parameters, its base, and its signature.
    private static let field =
        #"sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#
    private static let values = [
        "date": "Tue, 20 Apr 2021 02:07:55 GMT", "@method": "POST", "@path": "/foo", "@authority": "example.com",
        "content-type": "application/json", "content-length": "18",
    ]

    @Test func thePublishedRequestIsSignedAsPublished() throws {
        let input = try #require(SignatureInput(field: Self.field))
        #expect(input.label == "sig-b26" && input.created == 1_618_884_473 && input.keyID == "test-key-ed25519")
        #expect(input.nonce == nil && input.tag == nil && input.algorithm == nil && input.field == Self.field)
        let base = try #require(input.base { Self.values[$0] })
        #expect(base.utf8.count == 284)
        // B.1.4: the last 32 bytes of its PKCS#8.
        let secret = try #require(Base64.decoded("MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF"))
        let key = try #require(Ed25519.PrivateKey(seed: Array(secret.suffix(32))))
        #expect(
            Base64.encoded(try key.sign(Array(base.utf8)))
                == "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==")
    }

    @Test func whatIsNotThereCannotBeSigned() throws {
        let input = try #require(SignatureInput(field: Self.field))
        for name in input.components {
            #expect(input.base { $0 == name ? nil : Self.values[$0] } == nil)
            #expect(input.base { $0 == name ? "a\nb" : Self.values[$0] } == nil)
        }
    }

    @Test func whatIsWrittenIsRead() throws {
        let written = SignatureInput(
            label: "s", components: ["@method", "content-digest"], created: 0, nonce: "a+/=", keyID: "00ff",
            algorithm: "ed25519", tag: "studyd")
        #expect(SignatureInput(field: written.field) == written)
    }

    /// RFC 8941 §3.1.1: blanks within the list; §3.3.3: escapes; RFC 9421 §5.1: `created` without a value.
    @Test(
        arguments: [
            (#"s=()"#, [], nil), (#"s=( "a"   "b" )"#, ["a", "b"], nil), (#"s=("a");nonce="x\"\\""#, ["a"], #"x"\"#),
            (#"s=("a"); created; nonce="n""#, ["a"], "n"), (#"s=("a");unknown=?1;nonce="n""#, ["a"], "n"),
            (#"*s-1=("a")"#, ["a"], nil), (#"s=("a");x=-7;nonce="n""#, ["a"], "n"),
            (#"s=("a");x=-999999999999999;nonce="n""#, ["a"], "n"),
            (#"s=("a");x=999999999999999;nonce="n""#, ["a"], "n"),
        ] as [(String, [String], String?)])
    func formsThatTheRFCHas(field: String, components: [String], nonce: String?) throws {
        let input = try #require(SignatureInput(field: field))
        #expect(input.components == components && input.nonce == nonce)
    }

    @Test(arguments: [
        "", "s", "s=", "=()", "S=()", "1s=()", #"s="a""#, #"s=("a""#, #"s=("a")x"#, #"s=("a");"#, #"s=("a");="n""#,
        #"s=("a";req)"#, #"s=("a"  "a")"#, #"s=("a""b")"#, #"s=(a)"#, #"s=("a"), t=("b")"#, #"s=("a");nonce="n"#,
        #"s=("a");nonce="\n""#, #"s=("a");created=1.5"#, #"s=("a");created=-"#, #"s=("a");created=1000000000000000"#,
        #"s=("a");x=-1000000000000000"#, #"s=("a");x=--1"#, #"s=("a");x=1-"#, #"s=("a");expires=1"#, "s=(\"ä\")",
        "s=(\"a\tb\")", #"s=("a");flag=?2"#,
        "s=(" + Array(repeating: #""x""#, count: 1100).joined(separator: " ") + ")",
    ])
    func whatIsNotOneSignatureIsNone(field: String) { #expect(SignatureInput(field: field) == nil) }

    @Test func aGoodParameterDoesNotMendTheOneBefore() throws {
        var text = try #require(StructuredText(";=1;b=2"))
        let first = text.takeParameter()
        let second = text.takeParameter()
        #expect(first == nil && second == nil && !text.isAtEnd)
    }

    /// RFC 8941 §3.1.2: `key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )`.
    @Test func aNameHasTheLettersOfAKey() {
        let first = "abcdefghijklmnopqrstuvwxyz*"
        let later = first + "0123456789_-."
        for letter in (UInt8(0x20)...0x7E).map({ Character(Unicode.Scalar($0)) }) {
            for (name, isKey) in [("\(letter)", first.contains(letter)), ("s\(letter)", later.contains(letter))] {
                #expect((SignatureInput(field: "\(name)=()")?.label == name) == isKey, "\(name)")
                #expect((SignatureInput(field: #"s=("a");\#(name)=1"#) != nil) == isKey, "\(name)")
            }
        }
    }

    @Test func aFieldHasFourThousandBytesAtMost() {
        func field(_ count: Int) -> String {
            #"s=("a");x=""# + String(repeating: "n", count: count - 12) + "\""
        }
        #expect(field(4096).utf8.count == 4096 && SignatureInput(field: field(4096)) != nil)
        #expect(SignatureInput(field: field(4097)) == nil)
    }

    /// RFC 9421 §2.2.3.
    @Test(arguments: [
        ("Example.com", false, "example.com"), ("example.com:80", false, "example.com"),
        ("example.com:443", false, "example.com:443"), ("example.com:443", true, "example.com"),
        ("example.com:8443", true, "example.com:8443"), ("[2001:DB8::1]:80", false, "[2001:db8::1]"),
    ])
    func theUsualPortIsNoPartOfTheName(host: String, isSecure: Bool, authority: String) {
        #expect(SignatureProfile.authority(host, isSecure: isSecure) == authority)
    }

    /// RFC 9530 §2 and appendix B.
    @Test(
        arguments: [
            ("sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:", "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="),
            ("sha-512=:AA==:, sha-256=:AAA=:", "AAA="), ("sha-512=:AA==:", nil), ("sha-256=AAA=", nil), ("", nil),
        ] as [(String, String?)])
    func aDigestIsFoundAmongOthers(field: String, digest: String?) {
        #expect(SignatureProfile.sha256(ofDigest: field) == digest)
    }
}
