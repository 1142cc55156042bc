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

    /// Segments as docs/delivery.md has them, made by Python's hashlib; unsigned. Two that follow each other, and one
    /// that ends at the largest number.
    private static let segments = """
        import gzip, hashlib, json, sys
        def netstring(text):
            raw = str(text).encode()
            return str(len(raw)).encode() + b":" + raw + b","
        def write(name, first, last, previous, rows):
            hash, lines = previous, [json.dumps({"prompts": []})]
            for number in rows:
                row = {"row": number, "enrolment": "e", "wall": 1, "monotonic": 1, "boot": "b", "offset": 0,
                       "kind": "fault", "seal": "00" * 32}
                hash = hashlib.sha256(hash + b"".join(netstring(value) for value in row.values())).digest()
                lines.append(json.dumps(row))
            rest = ("\\n".join(lines) + "\\n").encode()
            head = {"format": "studyd-log", "version": 1, "log": "aa", "first": first, "last": last,
                    "previous": previous.hex(), "hash": hash.hex(), "sha256": hashlib.sha256(rest).hexdigest()}
            content = json.dumps(head).encode() + b"\\n" + rest
            open(sys.argv[1] + "/" + name, "wb").write(gzip.compress(content))
            return hash
        middle = write("logs/a.jsonl.gz", 1, 2, bytes(32), [1, 2])
        write("logs/b.jsonl.gz", 3, 4, middle, [3, 4])
        write("huge.jsonl.gz", 1, 2 ** 63 - 1, bytes(32), [])
        """

    /// A folder and a file in it name the same one twice.
    @Test func aSegmentThatIsNamedTwiceIsTakenOnce() async throws {
        guard system("python3 -c '' 2>/dev/null") == 0 else { return print("SKIPPED: python3 is not there") }
        try await Stage.with { stage in
            try Files.write(Self.segments, to: stage.folder + "/segments.py")
            mkdir(stage.folder + "/logs", 0o755)
            let made = try stage.start(["python3", stage.folder + "/segments.py", stage.folder])
            #expect(try await made.ended() == 0, "\(made.errors)")
            let track = Programs.package + "/studies/receiver.nmea"
            let (logs, huge) = (stage.folder + "/logs", stage.folder + "/huge.jsonl.gz")
            for (paths, fault) in [
                ([logs], nil), ([logs, logs + "/a.jsonl.gz"], nil), ([logs + "/b.jsonl.gz", logs, logs], nil),
                ([huge], "its head lacks something"), ([huge, logs], "its head lacks something"),
            ] as [([String], String?)] {
                let asked = try stage.start(
                    [Programs.studyd, "recordings", "verify", track] + paths.flatMap { ["--log", $0] })
                #expect(try await asked.ended() == 1)
                #expect(asked.output.contains("no manifest and no log names it") == (fault == nil), "\(paths)")
                #expect(asked.errors.contains(fault ?? "") || fault == nil, "\(paths): \(asked.errors)")
            }
        }
    }

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
