// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct EncryptionSettingsTests {
    private static let lab = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

    private func settings(_ lines: String) throws -> EncryptionSettings? {
        try AgentConfiguration(parsing: "board = 'b'\n\(lines)\n", file: "studyd.toml").encryption
    }

    private func keys(_ count: Int) -> String {
        (0..<count).compactMap { number in
            AgeIdentity(secret: [UInt8](repeating: UInt8(number), count: 32)).map { "'\($0.recipient)'" }
        }.joined(separator: ", ")
    }

    @Test func withoutTheTableNothingIsEncrypted() throws { #expect(try settings("") == nil) }

    /// The recipient of age's own manual page.
    @Test func recipientsAreRead() throws {
        let found = try #require(try settings("[seal]\nrecipients = ['\(Self.lab)', '\(Self.lab)', \(keys(1))]"))
        #expect(found.recipients.count == 2 && "\(found.recipients[0])" == Self.lab)
        #expect(found.patience == .seconds(300) && found.key == nil)
    }

    @Test(arguments: [("30s", 30), ("24h", 86_400)])
    func theWaitIsReadAtItsLimits(text: String, seconds: Int64) throws {
        #expect(try settings("[seal]\nrecipients = ['\(Self.lab)']\nwait = '\(text)'")?.patience == .seconds(seconds))
    }

    @Test(arguments: [
        ("recipients = []", "names no recipient"), ("", "is missing"),
        ("recipients = ['age1']", "is no recipient of age"),
        ("recipients = ['\(lab.dropLast())q']", "copy the line that begins with age1"),
        ("recipients = ['ssh-ed25519 AAAA']", "of a kind that studyd does not seal to"),
        ("recipients = ['\(lab)']\nwait = '29s'", "from 30s to 24h"),
        ("recipients = ['\(lab)']\nwait = '25h'", "from 30s to 24h"),
        ("recipients = ['\(lab)']\nrecipient = 'x'", "unknown key"),
    ])
    func whatIsMalformedIsRefusedWithItsPlace(lines: String, words: String) {
        #expect {
            try settings("[seal]\n" + lines)
        } throws: { error in
            "\(error)".contains(words) && "\(error)".hasPrefix("studyd.toml")
        }
    }

    @Test(arguments: [(20, true), (21, false)])
    func thereIsAMostOfRecipients(count: Int, isTaken: Bool) {
        #expect(((try? settings("[seal]\nrecipients = [\(keys(count))]")) != nil) == isTaken)
    }

    @Test func aSecretKeyIsNotRepeated() throws {
        let secret = try #require(AgeIdentity(secret: [UInt8](repeating: 3, count: 32))).text
        #expect {
            try settings("[seal]\nrecipients = ['\(secret)']")
        } throws: { error in
            "\(error)".contains("must not be on a device") && !"\(error)".contains(secret.dropFirst(20))
        }
    }
}

/// The device's own key.
@Suite struct EncryptionKeyTests {
    private final class Place {
        let folder: StateFolder
        init() throws {
            let path = "/tmp/studyd-sealkey-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
            folder = try StateFolder(path)
        }
        deinit { _ = system("rm -r \(folder.path)") }
    }

    private func settings(key: String? = nil) throws -> EncryptionSettings {
        let lab = try #require(AgeIdentity(secret: [UInt8](repeating: 3, count: 32)))
        return EncryptionSettings(recipients: [lab.recipient], key: key)
    }

    @Test func itIsMadeOnceForItsOwnerAlone() throws {
        let place = try Place()
        let key = try EncryptionKey(settings(), in: place.folder)
        #expect(try EncryptionKey(settings(), in: place.folder).identities == key.identities)
        var status = stat()
        #expect(stat(place.folder.encryptionKey, &status) == 0 && status.st_mode & 0o777 == 0o600)
        EncryptionKey.remove(in: place.folder)
        #expect(try EncryptionKey(settings(), in: place.folder).identities != key.identities)
    }

    /// What is encrypted to it would be lost with it.
    @Test func oneThatCannotBeReadIsNeverReplaced() throws {
        let place = try Place()
        try AtomicFile.write(Array("rubbish\n".utf8), to: place.folder.encryptionKey, mode: 0o600)
        #expect(throws: FileError.self) { try EncryptionKey(settings(), in: place.folder) }
        #expect(try BoundedFile.text(place.folder.encryptionKey) == "rubbish\n")
    }

    @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
        let place = try Place()
        #expect(symlink(place.folder.path + "/absent", place.folder.encryptionKey) == 0)
        #expect(throws: FileError.self) { try EncryptionKey(settings(), in: place.folder) }
        var status = stat()
        #expect(lstat(place.folder.encryptionKey, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func aGivenOneIsForItsOwnerAlone() throws {
        let place = try Place()
        let identity = try #require(AgeIdentity(secret: [UInt8](repeating: 5, count: 32)))
        let path = place.folder.path + "/given"
        try AtomicFile.write(Array((identity.text + "\n").utf8), to: path, mode: 0o600)
        #expect(try EncryptionKey(settings(key: path), in: place.folder).identities == [identity])
        #expect(access(place.folder.encryptionKey, F_OK) != 0)
        chmod(path, 0o640)
        #expect(throws: FileError.self) { try EncryptionKey(settings(key: path), in: place.folder) }
    }

    private static let hasKeygen: Bool = {
        let found = system("age-keygen --version >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: the program age-keygen is not installed") }
        return found
    }()

    /// As age-keygen writes it, with comments; a key of before below it opens what it encrypted.
    @Test(.enabled(if: hasKeygen, "needs the program age-keygen")) func aFileOfAgeKeygenIsOneAndMayHaveFurtherKeys()
        throws
    {
        let place = try Place()
        let path = place.folder.encryptionKey
        #expect(system("age-keygen -o '\(path)' 2>/dev/null && age-keygen >>'\(path)' 2>/dev/null") == 0)
        let key = try EncryptionKey(settings(), in: place.folder)
        #expect(key.identities.count == 2)
        try #require(system("age-keygen -y '\(path)' >'\(path).public'") == 0)
        let recipients = try BoundedFile.text(path + ".public").split(separator: "\n").map(String.init)
        #expect(key.identities.map { "\($0.recipient)" } == recipients)
        let own = try DeviceOpener(settings(), in: place.folder)
        #expect(own.recipient.map { "\($0)" } == recipients.first)
        for recipient in try [AgeRecipient(recipients[0]), AgeRecipient(recipients[1])] {
            #expect(try own.content(AgeWriter.encrypt([1, 2], to: [recipient]), at: "x") == [1, 2])
        }
    }

    /// The message says what is at stake, and what to do.
    @Test(arguments: ["", "\n# nothing\n", "AGE-SECRET-KEY-1QQQQ\n", "age1qqq\n"])
    func aKeyThatIsNoneSaysWhatIsAtStake(text: String) throws {
        let place = try Place()
        try AtomicFile.write(Array(text.utf8), to: place.folder.encryptionKey, mode: 0o600)
        let error = #expect(throws: FileError.self) { try EncryptionKey(settings(), in: place.folder) }
        let words = error.map { "\($0)" } ?? ""
        #expect(
            words.contains("seal.key") && words.contains("put it back from a backup") && words.contains("move it aside")
        )
        #expect(BodyEncryption.present(try settings(), in: place.folder) == nil, "who only reads goes on without it")
    }
}
