// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// What `openssl cms -encrypt` has sealed is opened here.
@Suite struct CMSKeyTests {
    @Test(.enabled(if: CMSEnvelopeTests.hasOpenSSL, "needs the program openssl"), .timeLimit(.minutes(10)))
    func theKeyOpensWhatOpenSSLSealedAndNoOtherDoes() throws {
        let folder = "/tmp/studyd-key-\(getpid())"
        #expect(mkdir(folder, 0o700) == 0)
        defer { _ = system("rm -r \(folder)") }
        let script = """
            cd \(folder) && for name in study other; do
                openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=$name -days 3 -keyout $name.pem -out $name.crt || exit 1
            done
            openssl pkey -in study.pem -aes256 -passout pass:secret -out locked.pem || exit 1
            head -c 70000 /dev/urandom > content
            openssl cms -encrypt -binary -aes-256-cbc -outform DER -in content -out sealed study.crt
            openssl cms -encrypt -binary -aes-256-cbc -outform DER -in content -out both other.crt study.crt
            openssl cms -encrypt -binary -aes-256-cbc -outform DER -in /dev/null -out nothing study.crt
            """
        #expect(system("(\(script)) >/dev/null 2>&1") == 0)
        let (key, other) = (try CMSKey(file: folder + "/study.pem"), try CMSKey(file: folder + "/other.pem"))
        let content = try BoundedFile.read(folder + "/content")
        let sealed = try BoundedFile.read(folder + "/sealed")
        #expect(key.open(sealed) == content && other.open(sealed) == nil)
        let both = try BoundedFile.read(folder + "/both")
        #expect(key.open(both) == content && other.open(both) == content)
        for length in [0, 1, 100, sealed.count - 1] { #expect(key.open(Array(sealed.prefix(length))) == nil) }
        // What was sealed here, too.
        let certificate = String(decoding: try BoundedFile.read(folder + "/study.crt"), as: UTF8.self)
        #expect(key.open(try CMSEnvelope.encrypt(content, to: certificate)) == content)
        // Nothing is a content, too.
        #expect(key.open(try BoundedFile.read(folder + "/nothing")) == [])
        #expect(key.open(try CMSEnvelope.encrypt([], to: certificate)) == [])
        // Text may precede a key; a file of more than 1 MiB is not read.
        let pem = try BoundedFile.read(folder + "/study.pem")
        for excess in [0, 1] {
            let lines = [UInt8](repeating: 0x0A, count: (1 << 20) - pem.count + excess)
            try AtomicFile.write(lines + pem, to: folder + "/long.pem")
            #expect((try? CMSKey(file: folder + "/long.pem"))?.open(sealed) == (excess == 0 ? content : nil))
        }
        for file in ["locked.pem", "study.crt", "content"] {
            #expect { try CMSKey(file: "\(folder)/\(file)") } throws: { "\($0)".contains("passphrase") }
        }
    }
}
