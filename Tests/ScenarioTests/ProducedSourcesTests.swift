// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// Manifests by which recordings are checked: whose they have to be.
@Suite(.timeLimit(.minutes(10))) struct ProducedSourcesTests {
    private static let hasCryptography: Bool = {
        guard system("python3 -c 'from cryptography.hazmat.primitives.asymmetric import ed25519' 2>/dev/null") == 0
        else {
            print("SKIPPED: manifests signed by Python, because it has no cryptography (Debian: python3-cryptography)")
            return false
        }
        return true
    }()

    /// As docs/recordings.md has it; the signature is Python's.
    private static let script = """
        import base64, hashlib, json, sys
        from cryptography.hazmat.primitives.asymmetric import ed25519
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
        folder = sys.argv[1]
        digest = hashlib.sha256(b"abc").hexdigest()
        open(folder + "/note.bin", "wb").write(b"abc")
        line = json.dumps({"format": "studyd-manifest", "entries": [
            {"kind": "recording", "name": "note.bin", "sha256": digest, "state": "delivered"}]}, separators=(",", ":"))
        open(folder + "/unsigned.json", "w").write(line + "\\n")
        key = ed25519.Ed25519PrivateKey.generate()
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        head = line[:-1] + ',"key":"' + public + '"'
        open(folder + "/signed.json", "w").write(
            head + ',"signature":"' + base64.b64encode(key.sign(head.encode())).decode() + '"}\\n')
        print(public)
        """

    @Test(.enabled(if: hasCryptography, "needs Python's cryptography"))
    func aManifestOfAnotherDeviceIsRefused() async throws {
        try await Stage.with { stage in
            try Files.write(Self.script, to: stage.folder + "/sign.py")
            let made = try stage.start(["python3", stage.folder + "/sign.py", stage.folder])
            #expect(try await made.ended() == 0, "\(made.errors)")
            let key = String(made.output.prefix(64))
            let other = String(repeating: "0", count: 64)
            func verify(_ manifest: String, _ key: String?) async throws -> (code: Int32, said: String) {
                let asked = try stage.start(
                    [
                        Programs.studyd, "recordings", "verify", stage.folder + "/note.bin", "--manifest",
                        "\(stage.folder)/\(manifest).json",
                    ]
                        + (key.map { ["--device-key", $0] } ?? []))
                let code = try await asked.ended()
                return (code, asked.output + asked.errors)
            }
            for (manifest, key, words) in [
                ("signed", other, "was signed by the device \(key)"), ("unsigned", key, "was signed by no device"),
            ] {
                let refused = try await verify(manifest, key)
                #expect(refused.code != 0 && refused.said.contains(words), "\(manifest): \(refused)")
            }
            for (manifest, key) in [("signed", key), ("signed", key.uppercased()), ("signed", nil), ("unsigned", nil)] {
                let taken = try await verify(manifest, key)
                #expect(!taken.said.contains("was signed"), "\(manifest): \(taken)")
            }
        }
    }
}
