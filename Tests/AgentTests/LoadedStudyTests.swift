// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct LoadedStudyTests {
    /// A study of one instruction whose archives are encrypted to that certificate.
    private static func study(encryptedTo certificate: String) throws -> LoadedStudy {
        let files = [
            (
                "study.json",
                #"{"identifier":"S","certificate":\#(JSONText.string(certificate).text),"task":[{"file":"t.json"}]}"#
            ),
            ("t.json", #"{"type":"assessment","identifier":"T","steps":[{"type":"instruction","identifier":"a"}]}"#),
        ].map { StudySource.File(name: $0.0, bytes: Array($0.1.utf8)) }
        return try LoadedStudy(
            StudyBundle.bytes(files, options: StudyOptions()), origin: "a test",
            platform: PlatformName(rawValue: "sage"))
    }

    private static let hasOpenSSL: Bool = {
        let found = ReportSchema.output(["openssl", "version"]) != nil
        if !found { print("SKIPPED: the program openssl is not installed") }
        return found
    }()

    @Test(.enabled(if: hasOpenSSL, "needs the program openssl")) func archivesAreEncryptedToTheStudysCertificate()
        throws
    {
        let made = ReportSchema.output([
            "sh", "-c",
            "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=study -keyout /dev/null 2>/dev/null",
        ])
        let certificate = try #require(made)
        #expect(try Self.study(encryptedTo: certificate).study.writer.recipient?.trimmed == certificate.trimmed)
    }

    /// It may look like a certificate and be none: that is said before anyone is enrolled, and not when the first
    /// archive is to be sent.
    @Test func aCertificateToWhichNothingCanBeEncryptedIsRefused() throws {
        let lines = ["-----BEGIN CERTIFICATE-----", "MII" + String(repeating: "A", count: 298)]
        let empty = (lines + ["-----END CERTIFICATE-----"]).joined(separator: "\n")
        let error = #expect(throws: StudyFormatError.self) { try Self.study(encryptedTo: empty) }
        #expect(error?.problems.map(\.path) == ["study.toml:$.certificate"])
    }

    /// A lab pasted both. Who takes part goes on, because a kept study is read without this question.
    @Test(
        .enabled(if: hasOpenSSL, "needs the program openssl"),
        arguments: [("-", true), ("/dev/null", false)])
    func aPrivateKeyBesideTheCertificateIsRefusedWhereTheStudyIsFound(_ keyFile: String, _ isRefused: Bool) throws {
        let made = ReportSchema.output([
            "sh", "-c",
            "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=study -keyout \(keyFile) 2>/dev/null",
        ])
        let kept = try Self.study(encryptedTo: try #require(made))
        let now = SystemClock().now
        guard isRefused else {
            #expect(try StudyCertificate.checked(kept, at: now).study.remarks == kept.study.remarks)
            let late = try StudyCertificate.checked(kept, at: now + .seconds(3 * 86_400)).study.remarks
            #expect(late.filter { $0.kind == .warning }.map(\.path).contains("study.toml:$.certificate"))
            return
        }
        let error = #expect(throws: StudyFormatError.self) { try StudyCertificate.checked(kept, at: now) }
        #expect(error?.problems.map(\.path) == ["study.toml:$.certificate"])
        #expect(error?.description.contains("BEGIN") == false)
    }

    @Test(
        arguments: [
            (2048, 0, []), (2047, 0, ["2047 bits"]), (nil, 0, []), (nil, -1, ["expired at 2026-03-20T09:46:39+00:00"]),
            (1024, -1, ["1024 bits", "expired"]), (4096, 1, []),
        ] as [(Int?, Int64, [String])])
    func anExpiredCertificateAndAShortKeyAreWarnedOf(_ bits: Int?, _ left: Int64, _ says: [String]) {
        let now = Instant(seconds: 1_774_000_000)
        let certificate = CMSCertificate(rsaBits: bits, end: now + .seconds(left))
        let found = StudyCertificate.warnings(of: certificate, at: now)
        #expect(found.count == says.count && zip(found, says).allSatisfy { $0.contains($1) }, "\(found)")
    }
}
