// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

struct TLSDiagnosisTests {
    private static let distrust = "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"

    private static func diagnosis(_ lines: [String], verdict: Int = 0) -> TLSDiagnosis {
        var diagnosis = TLSDiagnosis()
        for line in lines { diagnosis.add(line, verdict: verdict) }
        return diagnosis
    }

    /// OpenSSL 3.0, x509_vfy.h: 9 is not yet valid, 10 has expired, 18 is self-signed, 20 has an issuer that is not
    /// known.
    @Test(arguments: [(9, "not valid yet"), (10, "expired"), (18, "from no CA"), (20, "from no CA"), (0, "from no CA")])
    func aCertificateThatIsRefusedIsExplained(verdict: Int, words: String) throws {
        let diagnosis = Self.diagnosis([Self.distrust], verdict: verdict)
        #expect(try #require(diagnosis.explanation(isHandshake: true)).cause.contains(words))
    }

    /// libmosquitto 2.0.11 with OpenSSL 3.0, as it logs them.
    @Test(
        arguments: [
            (["Error: host name verification failed.", TLSDiagnosisTests.distrust], "another name", "'url'"),
            (
                [
                    "Error: Unable to load CA certificates, check cafile \"ca.pem\".",
                    "OpenSSL Error[0]: error:05800088:x509 certificate routines::no certificate or crl found",
                ], "no certificate", "PEM"
            ),
            (["Error: Unable to load client key file \"key.pem\"."], "cannot be used", "'key_file'"),
            (["Error: Client certificate/key are inconsistent."], "cannot be used", "'certificate_file'"),
            (
                ["OpenSSL Error[0]: error:0A00045C:SSL routines::tlsv13 alert certificate required"],
                "wants a certificate", "'certificate_file'"
            ),
            (
                ["OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca"], "wants a certificate",
                "'certificate_file'"
            ),
        ] as [([String], String, String)])
    func whatIsWrongWithCertificatesIsNamedAtAnyTime(lines: [String], cause: String, remedy: String) throws {
        for isHandshake in [true, false] {
            let explanation = try #require(Self.diagnosis(lines).explanation(isHandshake: isHandshake))
            #expect(explanation.cause.contains(cause) && explanation.remedy.contains(remedy), "\(explanation)")
        }
    }

    /// A broker that is killed ends a good connection in the same way.
    @Test(
        arguments: [
            "0A000126:SSL routines::unexpected eof while reading", "0A00010B:SSL routines::wrong version number",
        ])
    func onlyAHandshakeSaysThatItSpeaksNoTLS(line: String) {
        let diagnosis = Self.diagnosis(["OpenSSL Error[0]: error:" + line])
        #expect(diagnosis.explanation(isHandshake: true)?.remedy.contains("mqtt://") == true)
        #expect(diagnosis.explanation(isHandshake: false) == nil)
    }

    @Test func whatIsNotKnownIsNotExplained() {
        #expect(Self.diagnosis([]).explanation(isHandshake: true) == nil)
        #expect(Self.diagnosis(["Error: Unrecognised command 5"]).explanation(isHandshake: true) == nil)
        let many = Self.diagnosis((1...9).map { "line \($0)" })
        #expect(many.lines.count == 8 && many.lines.last == "line 8")
    }
}
