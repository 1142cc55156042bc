// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@Suite struct ContentMD5Tests {
    /// RFC 1321, A.5, in its hexadecimal.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func digestsAreThoseOfTheStandard(text: String, digest: String) throws {
        #expect(try ContentMD5.of(Array(text.utf8)).hexadecimal == digest)
    }

    /// RFC 1864 §2: the digest's 128 bits in base 64. Its value is that of
    /// `openssl dgst -md5 -binary | base64`.
    @Test func theHeaderIsItsBase64() throws {
        #expect(try ContentMD5.header(of: Array("message digest".utf8)) == "+WtpfXy3k41SWi8xqvFh0A==")
    }
}
