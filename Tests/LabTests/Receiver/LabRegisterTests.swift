// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit
import Testing

@testable import Lab

@Suite struct LabRegisterTests {
    private let now = Instant(seconds: 1_780_000_000)

    /// Twenty thousand are kept, and the oldest go; notes stay.
    @Test(arguments: [(19_998, 19_999), (19_999, 20_000), (20_000, 20_000), (30_000, 20_000)])
    func theOldestChangesGo(before: Int, kept: Int) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let register = try LabRegister(.file(folder + "/lab.sqlite"))
            try Connection(.file(folder + "/lab.sqlite")).execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(before))
                INSERT INTO change SELECT i, 0, 'a', '', 'revoke', 'P' || i, '', '' FROM n
                """)
            try await register.write(
                label: "shelf 3", text: "", of: "P1", seen: nil, by: "Ada", from: "192.0.2.1", at: now)
            let changes = try await register.changes(limit: 100_000)
            #expect(changes.count == kept)
            #expect(changes.first?.kind == .note && changes.first?.id == Int64(before + 1))
            #expect(changes.last?.id == Int64(before + 2 - kept))
            #expect(try await register.note(of: "P1").label == "shelf 3")
        }
    }

    /// Else `mirror` would bring the participant back.
    @Test func thatAParticipantWasErasedIsKeptForGood() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let register = try LabRegister(.file(folder + "/lab.sqlite"))
            try await register.log(.erase, "P1", after: "", by: "command", at: now)
            try Connection(.file(folder + "/lab.sqlite")).execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
                INSERT INTO change SELECT i, 0, 'a', '', 'revoke', 'P' || i, '', '' FROM n
                """)
            try await register.log(.revoke, "P2", after: "", by: "command", at: now)
            #expect(try await register.changes(limit: 100_000).count == 20_001)
            #expect(try await register.erasedAt(of: "P1") == now)
            #expect(try await register.erasedAt(of: "P2") == nil)
        }
    }

    /// A note that says nothing else than before is no change, whatever its writer has seen.
    @Test(
        arguments: [
            ("a", "b", nil, 1, false), ("a", "b", 0, 1, false), ("a", "c", 1, 2, false), ("c", "b", nil, 2, false),
            ("a", "c", 0, 1, true), ("", "", 1, 2, false),
        ] as [(String, String, Int64?, Int, Bool)])
    func aNoteIsWrittenWhereItIsAnother(
        label: String, text: String, revision: Int64?, changes: Int, isRefused: Bool
    ) async throws {
        let register = try LabRegister(.memory)
        func write(_ label: String, _ text: String, _ revision: Int64?) async throws {
            try await register.write(
                label: label, text: text, of: "P1", seen: revision, by: "Ada", from: "192.0.2.1", at: now)
        }
        try await write("a", "b", 0)
        var refusal: Int?
        do { try await write(label, text, revision) } catch { refusal = (error as? HTTPFailure)?.status }
        #expect(refusal == (isRefused ? 409 : nil))
        #expect(try await register.changes(limit: 9).count == changes)
        let note = try await register.note(of: "P1")
        #expect([note.label, note.text] == (isRefused ? ["a", "b"] : [label, text]))
    }

    /// Of several that wait one has to be named; those that are good already are not asked about.
    @Test func theCommandAsksWhichOfSeveralWaitingKeysIsMeant() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
            let waiting = [1, 2, 3].map { TestDevice($0).publicKey }
            for key in waiting { _ = try await keys.admit(key, for: "P1", mode: .required, at: now) }
            let list = folder + "/keys.csv"
            try AtomicFile.write(Array("participant,key\nP1,\(waiting[2])\nP2,\(waiting[0])\n".utf8), to: list)
            try await DevicesCommand.Import.parse([list, "--data", folder]).run()
            func states() async throws -> [DeviceKeys.State] {
                let rows = try await keys.rows(of: "P1")
                return waiting.compactMap { key in rows.first { $0.key == key }?.state }
            }
            #expect(try await states() == [.waiting, .waiting, .approved])
            #expect(try await keys.rows(of: "P2").map(\.state) == [.approved])
            let error = await #expect(throws: CommandError.self) {
                try await DevicesCommand.Approve.parse(["P1", "--data", folder]).run()
            }
            let words = "\(error?.explanation.cause ?? ""); \(error?.explanation.remedy ?? "")"
            for (key, isNamed) in zip(waiting, [true, true, false]) {
                #expect(words.contains(String(key.prefix(12))) == isNamed, "\(words)")
            }
            try await DevicesCommand.Approve.parse(["P1", waiting[1], "--data", folder]).run()
            #expect(try await states() == [.waiting, .approved, .approved])
            try await DevicesCommand.Approve.parse(["P1", "--data", folder]).run()
            #expect(try await states() == [.approved, .approved, .approved])
        }
    }

    /// Its name alone does not bring it back; the error says what does.
    @Test func theCommandNamesTheKeyThatWasRevoked() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (keys, key) = (try DeviceKeys(.file(folder + "/devices.sqlite")), TestDevice(1).publicKey)
            _ = try await keys.admit(key, for: "P1", mode: .required, at: now)
            try await DevicesCommand.Approve.parse(["P1", "--data", folder]).run()
            try await DevicesCommand.Revoke.parse(["P1", "--data", folder]).run()
            let error = await #expect(throws: CommandError.self) {
                try await DevicesCommand.Approve.parse(["P1", "--data", folder]).run()
            }
            let remedy = error?.explanation.remedy ?? ""
            #expect(remedy.contains(String(key.prefix(12))) && remedy.contains("the page"), "\(remedy)")
            try await DevicesCommand.Approve.parse(["P1", String(key.prefix(12)), "--data", folder]).run()
            #expect(try await keys.hasGoodKey("P1"))
        }
    }

    /// The command notes what it has changed; one that is refused changes nothing.
    @Test func theCommandNotesWhatItApprovesRevokesAndForgets() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
            _ = try await keys.admit(TestDevice(1).publicKey, for: "P1", mode: .required, at: now)
            try await DevicesCommand.Approve.parse(["P1", "--data", folder]).run()
            await #expect(throws: (any Error).self) {
                try await DevicesCommand.Approve.parse(["P2", "--data", folder]).run()
            }
            try await DevicesCommand.Revoke.parse(["P1", "--data", folder]).run()
            _ = try await keys.admit(TestDevice(2).publicKey, for: "P3", mode: .required, at: now)
            try await DevicesCommand.Forget.parse(["P3", "--data", folder]).run()
            await #expect(throws: (any Error).self) {
                try await DevicesCommand.Forget.parse(["P3", "--data", folder]).run()
            }
            let changes = try await LabRegister(.file(folder + "/lab.sqlite")).changes(limit: 9)
            #expect(changes.map(\.kind) == [.forget, .revoke, .approve])
            #expect(changes.map(\.participant) == ["P3", "P1", "P1"])
            #expect(changes.map(\.after) == ["1 key", "every key", "1 key"])
            #expect(changes.allSatisfy { $0.by == "command" })
        }
    }

    /// ESMira's and Bridge's servers, played, know no keys. A revoked key is taken back by its digits alone.
    @Test(arguments: [false, true]) func aRevokedNameWithoutAKeyIsOpenedAgain(hasKey: Bool) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
            if hasKey { try await keys.add([(user: "P1", key: TestDevice(1).publicKey)], at: now) }
            try await keys.revoke("P1", at: now)
            let command = try DevicesCommand.Approve.parse(["P1", "--data", folder])
            var said: String?
            do { said = try await command.approve() } catch is CommandError {}
            #expect((said == nil) == hasKey)
            #expect(hasKey || said?.contains("the next key that signs is pinned") == true, "\(said ?? "")")
            // As it says.
            let next: DeviceKeyDecision = hasKey ? .revoked : .admit(isKeyed: true)
            #expect(try await keys.admit(TestDevice(2).publicKey, for: "P1", mode: .pin, at: now) == next)
            #expect(try await keys.isRevoked("P1") == hasKey)
            let changes = try await LabRegister(.file(folder + "/lab.sqlite")).changes(limit: 9)
            #expect(changes.map(\.after) == (hasKey ? [] : ["the name, without a key"]))
        }
    }

    /// What goes is noted, or it does not go.
    @Test func nothingIsForgottenWhereItCannotBeNoted() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
            _ = try await keys.admit(TestDevice(1).publicKey, for: "P1", mode: .required, at: now)
            try File.makeFolder(folder + "/lab.sqlite")
            await #expect(throws: (any Error).self) {
                try await DevicesCommand.Forget.parse(["P1", "--data", folder]).run()
            }
            #expect(try await keys.rows(of: "P1").map(\.state) == [.waiting])
        }
    }
}
