// SPDX-License-Identifier: Apache-2.0

/// Why one connection's TLS failed, by what libmosquitto and OpenSSL say: the library's codes do not tell that
/// apart. `BrokerClient` adds each line. Pure.
struct TLSDiagnosis: Sendable, Hashable {
    /// Lines of the library's log; the rest is dropped.
    private static let most = 8

    private(set) var lines: [String] = []
    /// Of the broker's certificate (`X509_V_ERR_…` of OpenSSL's x509_vfy.h).
    private(set) var verdict = 0

    mutating func add(_ line: String, verdict: Int) {
        guard lines.count < Self.most else { return }
        lines.append(line)
        if verdict != 0 { self.verdict = verdict }
    }

    /// Nil where nothing is known. `isHandshake` is false on a connection that TLS had secured: its end is no fault
    /// of TLS.
    func explanation(isHandshake: Bool) -> (cause: String, remedy: String)? {
        if says("certificate verify failed"), !says("host name verification failed") {
            return Self.explanation(ofCertificate: verdict)
        }
        let known = Self.certificates + (isHandshake ? Self.handshakes : [])
        return known.first { $0.words.contains(where: says) }.map { ($0.cause, $0.remedy) }
    }

    private func says(_ words: String) -> Bool { lines.contains { $0.contains(words) } }

    private static func explanation(ofCertificate verdict: Int) -> (cause: String, remedy: String) {
        switch verdict {
        // X509_V_ERR_CERT_NOT_YET_VALID
        case 9: ("its certificate is not valid yet", "check the device's clock, and the certificate's dates")
        // X509_V_ERR_CERT_HAS_EXPIRED
        case 10: ("its certificate has expired", "renew it; if it has not, check the device's clock")
        default: ("its certificate is from no CA that this device trusts", "check 'ca_file' in [mqtt]")
        }
    }

    private typealias Known = [(words: [String], cause: String, remedy: String)]

    private static let certificates: Known = [
        (
            ["host name verification failed"], "its certificate is for another name",
            "use a name in 'url' of [mqtt] that the certificate has"
        ),
        (
            ["check cafile"], "there is no certificate in the file that 'ca_file' names",
            "put the CA's certificate there, in PEM"
        ),
        (
            ["Unable to load client", "key are inconsistent"], "the device's certificate and key cannot be used",
            "check that 'certificate_file' and 'key_file' in [mqtt] are PEM and belong together"
        ),
        (
            [
                "alert certificate required", "alert handshake failure", "alert bad certificate", "alert unknown ca",
                "alert certificate expired",
            ], "it wants a certificate from the device, and one that it trusts",
            "check 'certificate_file' and 'key_file' in [mqtt]"
        ),
    ]
    private static let handshakes: Known = [
        (
            ["wrong version number", "unexpected eof"], "it does not speak TLS",
            "check the port in 'url' of [mqtt]; without TLS it is mqtt://"
        )
    ]
}
