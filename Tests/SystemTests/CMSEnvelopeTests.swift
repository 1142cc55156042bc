// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// What is sealed here is opened by `openssl cms -decrypt`, as the holder of the key does.
@Suite struct CMSEnvelopeTests {
    static let hasOpenSSL: Bool = {
        let found = system("openssl version >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: the program openssl is not installed") }
        return found
    }()

    @Test(
        .enabled(if: hasOpenSSL, "needs the program openssl"), .timeLimit(.minutes(10)), arguments: [0, 1, 16, 100_003])
    func theHolderOfTheKeyOpensIt(length: Int) throws {
        let folder = "/tmp/studyd-cms-\(getpid())-\(length)"
        #expect(mkdir(folder, 0o700) == 0)
        defer { _ = system("rm -r \(folder)") }
        #expect(
            system(
                "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=study -days 3 -keyout \(folder)/key.pem -out \(folder)/cert.pem >/dev/null 2>&1"
            ) == 0)
        let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 10) }
        let certificate = String(decoding: try Self.read(folder + "/cert.pem"), as: UTF8.self)
        let sealed = try CMSEnvelope.encrypt(content, to: certificate)
        // A definite length: DER, not the stream's BER.
        #expect(sealed.count > length && sealed[0] == 0x30 && sealed[1] != 0x80)
        try AtomicFile.write(sealed, to: folder + "/sealed")
        #expect(
            system(
                "openssl cms -decrypt -binary -inform DER -in \(folder)/sealed -inkey \(folder)/key.pem -out \(folder)/opened"
            ) == 0)
        #expect(try Self.read(folder + "/opened") == content)
    }

    @Test(arguments: ["", "hello", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"])
    func whatIsNoCertificateIsSaid(text: String) {
        #expect(throws: CMSError.self) { try CMSEnvelope.encrypt([1], to: text) }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "rb"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }
}
