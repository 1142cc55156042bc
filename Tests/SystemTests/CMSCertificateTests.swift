// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import SystemKit

@Suite struct CMSCertificateTests {
    @Test(
        .enabled(if: CMSEnvelopeTests.hasOpenSSL, "needs the program openssl"), .timeLimit(.minutes(10)),
        arguments: [("rsa:1024", 1024), ("rsa:2048", 2048), ("ec -pkeyopt ec_paramgen_curve:P-256", nil)]
            as [(String, Int?)])
    func keyAndEndAreThoseThatOpenSSLGave(_ key: String, _ bits: Int?) throws {
        let file = "/tmp/studyd-certificate-\(getpid())-\(bits ?? 0)"
        defer { unlink(file) }
        let before = SystemClock().now
        let made = "openssl req -x509 -newkey \(key) -nodes -subj /CN=study -days 3 -keyout /dev/null -out \(file)"
        #expect(system("\(made) >/dev/null 2>&1") == 0)
        let certificate = CMSCertificate(String(decoding: try BoundedFile.read(file), as: UTF8.self))
        let end = try #require(certificate).end
        let days = Duration.seconds(3 * 86_400)
        // Certificates count whole seconds.
        #expect(end >= before + days - .seconds(1) && end <= SystemClock().now + days)
        #expect(certificate?.rsaBits == bits)
    }

    @Test(arguments: ["", "hello", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"])
    func whatIsNoCertificateSaysNothing(text: String) {
        #expect(CMSCertificate(text) == nil)
    }
}
