// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import Patience
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// Answers in the log where the device encrypts them: they cannot be read in the store's files, the
/// device does, and the chain stays one that an independent reader can follow.
@Suite(.timeLimit(.minutes(10))) struct EncryptedLogTests {
    private static let lab = AgeIdentity(secret: [UInt8](repeating: 31, count: 32))
    private static let own = AgeIdentity(secret: [UInt8](repeating: 32, count: 32))
    private static let other = AgeIdentity(secret: [UInt8](repeating: 33, count: 32))
    private static let hasAge: Bool = {
        let found = system("age --version >/dev/null 2>&1 && sqlite3 --version >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: the programs age and sqlite3 are not both installed") }
        return found
    }()
    private static let secret = ErasureTests.secret

    private func encryption(_ keys: AgeIdentity?..., encrypts: Bool = true) throws -> BodyEncryption {
        BodyEncryption(to: encrypts ? [try #require(Self.lab).recipient] : [], own: try keys.map { try #require($0) })
    }

    private func store(_ folder: String, _ encryption: BodyEncryption?) throws -> StudyDatabase {
        try StudyDatabase(.file(folder + "/a.sqlite"), encryption: encryption)
    }

    /// A run that was submitted, one that is open, a variable and presses.
    private func fill(_ database: StudyDatabase) async throws {
        let answers: Answers = ["q": .text(Self.secret), "n": .number(4711)]
        let submission = Submission(
            task: "t", occurrence: Fixture.occurrence(1), order: ["q", "n"], answers: answers, drawn: [],
            submitted: Fixture.stamp(50).wall)
        try await database.append([.runOpened(task: "t", opening: 1, occurrence: nil)], at: Fixture.stamp(1))
        try await database.append(ErasureTests.events, at: Fixture.stamp(2))
        try await database.append(
            [
                .submitted(task: "t", opening: 1, submission: SubmissionRecord(submission)),
                .runOpened(task: "t", opening: 2, occurrence: nil),
                .taskProgress(
                    task: "t", opening: 2, name: "tap", at: MonotonicTime(nanoseconds: 9), values: ["ms": 4711],
                    step: "s"),
                .released(button: 1, at: MonotonicTime(nanoseconds: 7)),
                .marked(button: Self.secret, at: MonotonicTime(nanoseconds: 8)),
            ], at: Fixture.stamp(50))
    }

    /// What charts, piping, conditions and a restart ask.
    private func knowledge(_ database: StudyDatabase) async throws -> [String] {
        let enrolment = Fixture.stamp(0).enrolment
        let history = try await database.history(of: "q", in: enrolment).map(\.value)
        let runs = try await database.doneRuns(of: enrolment).map(\.answers.count)
        let variable = try await database.facts(of: enrolment).variables["v"]
        let progress = try await database.progress(of: "t", opening: 2, in: enrolment).map { ($0.step, $0.values) }
        let isKept = try await database.privateTexts().contains(Self.secret)
        return ["\(history)", "\(runs)", "\(variable as Any)", "\(progress)", "\(isKept)"]
    }

    @Test func onlyWhoHasAKeyReadsAnswers() async throws {
        try await ErasureTests.withFolder { folder in
            let clear = try StudyDatabase(.memory)
            try await fill(clear)
            let expected = try await knowledge(clear)
            #expect(expected[0].contains(Self.secret) && expected[1] == "[2]" && expected[3].contains("\"s\""))
            let database = try store(folder, encryption(Self.own))
            try await fill(database)
            #expect(try await knowledge(database) == expected)
            #expect(try await database.events() == clear.events())
            // Also in free pages, and in the write-ahead log of a store that was written again.
            try await database.rebuildProjections()
            #expect(try !ErasureTests.holds(folder))
            #expect(try await database.verifyLog() == nil)
            #expect(try ErasureTests.independentCount(folder + "/a.sqlite").map { $0.hasSuffix(" 0") } ?? true)
            // A restart; and the same once the configuration no longer encrypts.
            for encrypts in [true, false] {
                let again = try store(folder, encryption(Self.own, encrypts: encrypts))
                #expect(try await knowledge(again) == expected)
                #expect(try await again.unreadableAnswers() == nil)
            }
        }
    }

    @Test(.enabled(if: hasAge, "needs the programs age and sqlite3"))
    func theLabOpensAnAnswerOfALostCard() async throws {
        try await ErasureTests.withFolder { folder in
            try await fill(store(folder, encryption(Self.own)))
            try AtomicFile.write(Array(try #require(Self.lab).text.utf8), to: folder + "/identity", mode: 0o600)
            let select = "SELECT json_extract(body, '$.age') FROM event WHERE kind = 'variableSet'"
            #expect(
                system(
                    "cd \(folder) && sqlite3 a.sqlite \"\(select)\" | base64 -d | age -d -i identity > opened") == 0)
            #expect(
                try BoundedFile.text(folder + "/opened") == #"{"name":"v","value":{"text":"\#(Self.secret)"}}"#)
        }
    }

    /// Nothing is lost, and what does not need an answer goes on: the count of what was done does not
    /// change. The key put back brings all of it back.
    @Test func withoutTheKeyTheStateIsRightAndAnswersAreLeftOut() async throws {
        try await ErasureTests.withFolder { folder in
            let device = try encryption(Self.own)
            try await fill(store(folder, device))
            let expected = try await knowledge(store(folder, device))
            for key in [nil, try encryption(Self.other)] {
                try Connection(.file(folder + "/a.sqlite")).execute("UPDATE projection SET version = 0")
                let stranger = try store(folder, key)
                let enrolment = Fixture.stamp(0).enrolment
                #expect(try await stranger.submissions(of: enrolment) == ["t": 1])
                #expect(try await stranger.openRuns(of: enrolment).map(\.opening) == [2])
                #expect(try await stranger.history(of: "q", in: enrolment).isEmpty)
                #expect(try await stranger.doneRuns(of: enrolment).map(\.task) == ["t"])
                #expect(try await stranger.facts(of: enrolment).variables.isEmpty)
                #expect(try await stranger.verifyLog() == nil)
                let fault = try #require(try await stranger.unreadableAnswers())
                #expect(fault == .encryptedAnswers && "\(fault)".contains("put seal.key of the state folder back"))
                // It is not made again at each start.
                #expect(try await store(folder, key).isCurrent)
            }
            #expect(try await knowledge(store(folder, device)) == expected)
            #expect(try await knowledge(store(folder, device)) == expected, "and stays")
        }
    }

    /// Keys of two lives of a device, one below the other, open what either encrypted.
    @Test func anOldKeyBelowTheNewOneOpensWhatItEncrypted() async throws {
        try await ErasureTests.withFolder { folder in
            try await fill(store(folder, encryption(Self.own)))
            let newer = try store(folder, encryption(Self.other))
            try await newer.append([.variableSet(name: "w", value: .text("later"))], at: Fixture.stamp(60))
            #expect(try await newer.facts(of: Fixture.stamp(0).enrolment).variables.keys.sorted() == ["w"])
            let both = try store(folder, encryption(Self.other, Self.own))
            let variables = try await both.facts(of: Fixture.stamp(0).enrolment).variables
            #expect(variables == ["v": .text(Self.secret), "w": .text("later")])
            #expect(try await both.unreadableAnswers() == nil)
        }
    }

    @Test(arguments: [true, false]) func whatIsEncryptedIsErasedLikeAnythingElse(hasKey: Bool) async throws {
        try await ErasureTests.withFolder { folder in
            try await fill(store(folder, encryption(Self.own)))
            let database = try store(folder, hasKey ? encryption(Self.own) : nil)
            let rows = try await database.eraseAnswers(of: nil, at: Fixture.stamp(70))
            #expect(rows == 7)
            #expect(try await database.verifyLog() == nil)
            #expect(try ErasureTests.independentCount(folder + "/a.sqlite").map { $0.hasSuffix(" 7") } ?? true)
            #expect(try await database.unreadableAnswers() == nil, "nothing encrypted is left")
        }
    }

    /// The rows are whole, whoever looks; a bit that changed in the ciphertext is damage of that row.
    @Test func aDamagedStoreIsSalvagedWithWhatIsEncrypted() async throws {
        try await ErasureTests.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            let device = try encryption(Self.own)
            let stamp = Fixture.stamp(0, enrolment: "")
            do {
                let database = try StudyDatabase(rescuing: path, recordings: folder, encryption: device, at: stamp)
                try await fill(database)
            }
            try Connection(.file(path)).execute(
                "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'run'")
            let database = try StudyDatabase(
                rescuing: path, recordings: folder, encryption: device, at: Fixture.stamp(90, enrolment: ""))
            while try await database.catchUp() {}
            #expect(database.foundDamage != nil)
            #expect(try await knowledge(database)[0].contains(Self.secret))
            // What was set aside, too.
            #expect(system("grep -rq '\(Self.secret)' \(folder)") >> 8 == 1)
            #expect(try await database.verifyLog() == nil)
        }
    }

    /// What the device signs and sends of its log tells no answer, encrypted or not: there is its seal.
    @Test func aSegmentOfTheLogHoldsTheSealAlone() throws {
        let connection = try Connection(.memory)
        connection.encryption = try encryption(Self.own)
        let log = try EventLog(connection)
        try log.append(ErasureTests.events, at: Fixture.stamp(0))
        let lines = try log.rows(after: 0, atMost: 9).map { try $0.line(isOpen: false, follows: $0.previous) }
        #expect(lines.allSatisfy { $0.contains("\"seal\"") && !$0.contains("\"body\"") && !$0.contains("age") })
    }
}

/// An independent look at the cipher of projections: HKDF and ChaCha20-Poly1305 as Python's
/// `cryptography` has them.
@Suite struct DeviceCipherTests {
    private static let python = ProcessInfo.processInfo.environment["STUDYD_PYTHON"] ?? "python3"
    private static let hasCryptography: Bool = {
        let found = system("\(python) -c 'import cryptography' 2>/dev/null") == 0
        if !found { print("SKIPPED: \(python) has no package cryptography") }
        return found
    }()

    private static let script = """
        import base64, sys
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.hashes import SHA256
        key = HKDF(SHA256(), 32, None, b"studyd projection").derive(bytes([32] * 32))
        sealed = base64.b64decode(sys.argv[1].removeprefix("sealed:"))
        print(ChaCha20Poly1305(key).decrypt(sealed[:12], sealed[12:], None).decode(), end="")
        """

    @Test(.enabled(if: hasCryptography)) func anotherLibraryOpensIt() throws {
        let cipher = try DeviceCipher(try #require(AgeIdentity(secret: [32].repeated)), use: "projection")
        for text in ["", "x", String(repeating: "ä", count: 3000)] {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [Self.python, "-c", Self.script, try cipher.encrypt(text)]
            process.standardOutput = pipe
            try process.run()
            #expect(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == text)
            process.waitAsleep()
        }
    }

    @Test func whatWasChangedOrIsOfAnotherKeyDoesNotOpen() throws {
        let identity = try #require(AgeIdentity(secret: [32].repeated))
        let cipher = try DeviceCipher(identity, use: "projection")
        let encrypted = try cipher.encrypt("words")
        #expect(cipher.open(encrypted) == "words")
        #expect(try cipher.encrypt("words") != encrypted, "a nonce serves once")
        #expect(try DeviceCipher(identity, use: "another").open(encrypted) == nil)
        let unmarked = String(encrypted.dropFirst("sealed:".count))
        for text in [
            "sealed:", "sealed:AAAA", "words", encrypted + "AAAA", String(encrypted.dropLast(4)), unmarked,
            "SEALED:" + unmarked,
        ] {
            #expect(cipher.open(text) == nil)
        }
    }
}

extension [UInt8] {
    fileprivate var repeated: [UInt8] { [UInt8](repeating: self[0], count: 32) }
}
