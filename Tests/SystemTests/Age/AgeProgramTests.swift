// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import SystemKit

/// What is sealed here is opened by Debian's `age` and by PyPI's `pyrage`, and the reverse.
@Suite(.timeLimit(.minutes(10))) struct AgeProgramTests {
    private static func has(_ command: String, _ name: String) -> Bool {
        let found = system("\(command) >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: \(name) is not installed") }
        return found
    }
    static let hasAge = has("age --version", "the program age")
    static let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
    static let hasPyrage = has("\(python) -c 'import pyrage'", "PyPI's pyrage")

    /// Around the ends of chunks.
    static let lengths = [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073, 200_000]

    private static let lab = AgeIdentity(secret: (0..<32).map { UInt8($0 * 7 + 1) })
    private static let board = AgeIdentity(secret: (0..<32).map { UInt8($0 * 5 + 3) })

    private final class Folder {
        let path: String
        init(_ name: String) throws {
            path = "/tmp/studyd-age-\(getpid())-\(name)"
            try #require(mkdir(path, 0o700) == 0)
        }
        deinit { _ = system("rm -r \(path)") }
        func write(_ bytes: [UInt8], _ name: String) throws { try AtomicFile.write(bytes, to: "\(path)/\(name)") }
        func read(_ name: String) throws -> [UInt8] { try BoundedFile.read("\(path)/\(name)", limit: 1 << 24) }
        func run(_ command: String) -> CInt { system("cd \(path) && \(command) 2>err") >> 8 }
    }

    private func content(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// As a recorder does: in pieces of any length.
    private func sealed(_ content: [UInt8], to recipients: [AgeRecipient], piece: Int) throws -> [UInt8] {
        let writer = try AgeWriter(to: recipients)
        var out: [UInt8] = []
        for start in stride(from: 0, to: content.count, by: piece) {
            try writer.append(Array(content[start..<min(content.count, start + piece)]), to: &out)
            #expect(writer.encryptedCount + writer.pendingCount == min(content.count, start + piece))
        }
        try writer.finish(to: &out)
        return out
    }

    @Test(.enabled(if: hasAge, "needs the program age"), arguments: lengths)
    func ageOpensIt(length: Int) throws {
        let (lab, board) = (try #require(Self.lab), try #require(Self.board))
        let folder = try Folder("age-\(length)")
        let content = content(length)
        try folder.write(sealed(content, to: [lab.recipient, board.recipient], piece: 50_021), "x.age")
        for identity in [lab, board] {
            try folder.write(Array("# a comment\n\(identity.text)\n".utf8), "key")
            #expect(folder.run("age -d -i key x.age > x") == 0)
            #expect(try folder.read("x") == content)
        }
        #expect(folder.run("age-keygen -y key > public") == 0)
        #expect(try String(decoding: folder.read("public"), as: UTF8.self) == "\(board.recipient)\n")
    }

    @Test(.enabled(if: hasAge, "needs the program age"), arguments: lengths)
    func whatAgeSealsIsOpened(length: Int) throws {
        let folder = try Folder("of-age-\(length)")
        #expect(folder.run("age-keygen -o key") == 0)
        let identities = try AgeIdentity.all(in: String(decoding: folder.read("key"), as: UTF8.self))
        let recipient = try #require(identities.first).recipient
        #expect(try AgeRecipient("\(recipient)") == recipient)
        try folder.write(content(length), "x")
        #expect(folder.run("age -r \(recipient) -o x.age x") == 0)
        #expect(try AgeReader.open(folder.read("x.age"), identities) == content(length))
    }

    @Test(.enabled(if: hasPyrage, "needs PyPI's pyrage in STUDYD_PYTHON"), arguments: lengths)
    func pyrageOpensItAndTheReverse(length: Int) throws {
        let lab = try #require(Self.lab)
        let folder = try Folder("pyrage-\(length)")
        let content = content(length)
        try folder.write(sealed(content, to: [lab.recipient], piece: 7_001), "x.age")
        try folder.write(
            Array(
                """
                import pyrage
                key = pyrage.x25519.Identity.from_str("\(lab.text)")
                assert str(key.to_public()) == "\(lab.recipient)"
                content = pyrage.decrypt(open("x.age", "rb").read(), [key])
                open("x", "wb").write(content)
                open("y.age", "wb").write(pyrage.encrypt(content, [key.to_public()]))
                """.utf8), "judge.py")
        #expect(folder.run("\(Self.python) judge.py") == 0)
        #expect(try folder.read("x") == content)
        #expect(try AgeReader.open(folder.read("y.age"), [lab]) == content)
    }

    /// The program writes what was whole and says that the rest is missing.
    @Test(.enabled(if: hasAge, "needs the program age"))
    func ageOpensTheWholeChunksOfACutFile() throws {
        let lab = try #require(Self.lab)
        let folder = try Folder("cut")
        let content = content(3 * AgeWriter.chunk + 100)
        let whole = try sealed(content, to: [lab.recipient], piece: 4096)
        try folder.write(Array(lab.text.utf8), "key")
        let chunk = AgeWriter.chunk + AgeWriter.overhead
        let header = whole.count - 3 * chunk - 100 - AgeWriter.overhead
        for (length, chunks) in [
            (header + chunk, 1), (header + chunk + 1, 1), (header + 2 * chunk - 1, 1), (header + 2 * chunk, 2),
            (header + 3 * chunk, 3), (header + 3 * chunk + 17, 3), (whole.count - 1, 3),
        ] {
            try folder.write(Array(whole[..<length]), "x.age")
            #expect(folder.run("age -d -i key x.age > x") == 1)
            #expect(try folder.read("x") == Array(content.prefix(chunks * AgeWriter.chunk)), "\(length)")
        }
    }

    /// Of the last two chunks; of the full one near its ends and every so often between, unless
    /// STUDYD_EVERY_CUT is set. Both readers give out the same bytes and say that there should be more.
    @Test(.enabled(if: hasAge, "needs the program age"))
    func ageAndWeAgreeOnEveryCut() throws {
        let lab = try #require(Self.lab)
        let folder = try Folder("cuts")
        let whole = try sealed(content(AgeWriter.chunk + 100), to: [lab.recipient], piece: 4096)
        try folder.write(Array(lab.text.utf8), "key")
        try folder.write(whole, "x.age")
        let last = whole.count - 100 - AgeWriter.overhead
        let first = last - AgeWriter.chunk - AgeWriter.overhead
        let isEvery = getenv("STUDYD_EVERY_CUT") != nil
        let cuts = (first...whole.count).filter { isEvery || $0 >= last - 20 || $0 < first + 20 || $0 % 509 == 0 }
        try folder.write(Array(cuts.map { "\($0)\n" }.joined().utf8), "cuts")
        let loop =
            "while read n; do head -c $n x.age | age -d -i key >y; echo \"$n $? $(stat -c %s y)\"; done <cuts >said"
        #expect(folder.run(loop) == 0)
        let lines = try String(decoding: folder.read("said"), as: UTF8.self).split(separator: "\n")
        let ours = try cuts.map { cut in
            let reader = try AgeReader(Array(whole[..<cut]), [lab])
            var isCut = false
            do throws(AgeFault) { while try reader.next() != nil {} } catch { isCut = error == .cut(at: reader.opened) }
            return "\(cut) \(isCut ? 1 : 0) \(reader.opened)"
        }
        #expect(lines.map(String.init) == ours)
    }
}
