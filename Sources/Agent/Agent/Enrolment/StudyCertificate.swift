// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Whether the certificate that a study gives is what a lab meant to give. `StudyFinder` asks for a study it found;
/// one that is enrolled goes on with what it has.
enum StudyCertificate {
    static let path = "study.toml:$.certificate"

    /// Refuses a private key beside the certificate; the study comes back with warnings of the rest.
    static func checked(_ loaded: LoadedStudy, at now: Instant) throws(StudyFormatError) -> LoadedStudy {
        guard let pem = loaded.study.writer.recipient else { return loaded }
        guard !pem.contains("PRIVATE KEY-----") else {
            throw StudyFormatError(
                path: path, line: nil, expected: "the certificate alone: its private key stays with the lab",
                found: "a private key beside it")
        }
        let warnings = CMSCertificate(pem).map { Self.warnings(of: $0, at: now) } ?? []
        return loaded.with(
            remarks: loaded.study.remarks + warnings.map { Remark(.warning, path: path, $0) })
    }

    static func warnings(of certificate: CMSCertificate, at now: Instant) -> [String] {
        var found: [String] = []
        if let bits = certificate.rsaBits, bits < 2048 {
            found.append("its RSA key of \(bits) bits is too short to protect answers: make one of 2048 bits or more")
        }
        if certificate.end < now {
            let end = certificate.end.rfc3339(fractionDigits: 0)
            found.append("it expired at \(end), and archives are encrypted to it all the same: make a new one")
        }
        return found
    }
}
