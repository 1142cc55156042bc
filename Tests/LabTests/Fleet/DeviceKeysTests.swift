// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct DeviceKeysTests {
    private let now = Instant(seconds: 1_780_000_000)
    private static let key = TestDevice(1).publicKey
    private static let other = TestDevice(2).publicKey

    /// What the list has before, which key comes, and what becomes of it under off, pin, required.
    @Test(
        arguments: [
            ([], nil, [.admit(isKeyed: false), .admit(isKeyed: false), .missing]),
            ([], key, [.admit(isKeyed: false), .pin, .unknown]),
            ([(key, .pinned)], key, [.admit(isKeyed: true), .admit(isKeyed: true), .admit(isKeyed: true)]),
            ([(key, .approved)], nil, [.admit(isKeyed: false), .missing, .missing]),
            ([(key, .approved)], other, [.admit(isKeyed: false), .unknown, .unknown]),
            ([(key, .waiting)], key, [.admit(isKeyed: false), .pin, .unknown]),
            ([(key, .revoked)], key, [.revoked, .revoked, .revoked]),
            ([("", .revoked)], nil, [.revoked, .revoked, .revoked]),
            ([("", .revoked)], other, [.revoked, .revoked, .revoked]),
            ([(key, .revoked), (other, .approved)], key, [.revoked, .revoked, .revoked]),
            (
                [(key, .revoked), (other, .approved)], other,
                [.admit(isKeyed: true), .admit(isKeyed: true), .admit(isKeyed: true)]
            ),
        ] as [([(String, DeviceKeys.State)], String?, [DeviceKeyDecision])])
    func whatBecomesOfARequest(
        known: [(String, DeviceKeys.State)], key: String?, decisions: [DeviceKeyDecision]
    ) {
        let rows = known.map { DeviceKeys.Row(user: "P1", key: $0, state: $1, first: now, last: now) }
        #expect(DeviceKeyMode.allCases.map { DeviceKeyDecision($0, known: rows, key: key) } == decisions)
    }

    @Test func theFirstKeySeenIsTheOnlyOne() async throws {
        let keys = try DeviceKeys(.memory)
        #expect(try await keys.admit(Self.key, for: "P1", mode: .pin, at: now) == .admit(isKeyed: true))
        #expect(try await keys.admit(Self.key, for: "P1", mode: .pin, at: now) == .admit(isKeyed: true))
        #expect(try await keys.admit(Self.other, for: "P1", mode: .pin, at: now) == .unknown)
        #expect(try await keys.admit(Self.other, for: "P2", mode: .pin, at: now) == .admit(isKeyed: true))
        #expect(try await keys.warnings() == ["P1": KeyWarning(foreignKey: now)])
    }

    @Test func aListThatIsImportedAgainLetsInNoRevokedKey() async throws {
        let keys = try DeviceKeys(.memory)
        let list = [(user: "P1", key: Self.key), (user: "P2", key: Self.other)]
        #expect(try await keys.add(list, at: now) == [])
        try await keys.revoke("P1", at: now)
        #expect(try await keys.add(list, at: now) == ["P1"])
        #expect(try await keys.admit(Self.key, for: "P1", mode: .required, at: now) == .revoked)
        #expect(try await keys.admit(Self.other, for: "P2", mode: .required, at: now) == .admit(isKeyed: true))
        // By itself it can be taken back.
        #expect(try await keys.approve("P1", key: Self.key, at: now) == 1)
        #expect(try await keys.admit(Self.key, for: "P1", mode: .required, at: now) == .admit(isKeyed: true))
    }

    @Test func aRevokedNameIsGoodAgainWithTheKeyThatIsApproved() async throws {
        let keys = try DeviceKeys(.memory)
        _ = try await keys.admit(Self.key, for: "P1", mode: .pin, at: now)
        try await keys.revoke("P1", at: now)
        #expect(try await keys.admit(Self.key, for: "P1", mode: .pin, at: now) == .revoked)
        #expect(try await keys.admit(Self.other, for: "P1", mode: .pin, at: now) == .revoked)
        #expect(try await keys.warnings()["P1"]?.revoked == now)
        // The new device's key waits; that of the lost one does not.
        #expect(try await keys.approve("P1", key: nil, at: now) == 1)
        #expect(try await keys.admit(Self.other, for: "P1", mode: .pin, at: now) == .admit(isKeyed: true))
        #expect(try await keys.admit(Self.key, for: "P1", mode: .pin, at: now) == .revoked)
        #expect(try await keys.warnings()["P1"]?.revoked == nil)
    }

    /// A later try with it is no use.
    @Test func aRevocationLeavesWhenAKeyWasLastUsed() async throws {
        let keys = try DeviceKeys(.memory)
        _ = try await keys.admit(Self.key, for: "P1", mode: .pin, at: now)
        try await keys.revoke("P1", at: now + .seconds(60))
        let late = try await keys.admit(Self.key, for: "P1", mode: .pin, at: now + .seconds(7200))
        #expect(late == .revoked)
        let rows = try await keys.rows(of: "P1")
        #expect(rows.map(\.key) == [Self.key, ""] && rows.map(\.last) == [now, now + .seconds(60)])
    }

    @Test func strangersKeysPushOutEachOtherAlone() async throws {
        let keys = try DeviceKeys(.memory)
        _ = try await keys.admit(Self.key, for: "P1", mode: .pin, at: now)
        for number in 0..<20 {
            let key = "a stranger's key \(number)"
            #expect(try await keys.admit(key, for: "P1", mode: .pin, at: now + .seconds(number)) == .unknown)
        }
        let rows = try await keys.rows(of: "P1")
        #expect(rows.count(where: { $0.state == .waiting }) == 10 && rows.count(where: { $0.state == .pinned }) == 1)
    }

    /// The key is what OpenSSL makes of the seed, so that a list can be made without studyd.
    @Test func aListIsMadeByOpenSSL() async throws {
        let script = """
            { printf '0.\\002\\001\\0000\\005\\006\\003+ep\\004\\042\\004\\040'; printf '\\001%.0s' $(seq 32); } |
            openssl pkey -inform DER -pubout -outform DER | tail -c 32 | od -An -v -tx1 | tr -d ' \\n'
            """
        let sum = try await run(["sh", "-c", script]).prefix(64)
        let list = try DeviceKeyList(
            Array("participant,key\nP1,\(sum)\r\n\"P2, left\", \(sum.uppercased())\n\n".utf8), from: "keys.csv")
        #expect(list.keys.map(\.user) == ["P1", "P2, left"])
        let keys = try DeviceKeys(.memory)
        try await keys.add(list.keys, at: now)
        #expect(try await keys.admit(Self.key, for: "P1", mode: .required, at: now) == .admit(isKeyed: true))
        #expect(try await keys.admit(Self.key, for: "P2", mode: .required, at: now) == .unknown)
    }

    @Test(arguments: [
        "P1,abc\nP2,def", "P1", ",\(String(repeating: "a", count: 64))", "P1,\(String(repeating: "g", count: 64))",
    ])
    func aListWithAWrongLineIsRefusedWhole(text: String) {
        for (head, line) in [("#\n", 2), ("", 1), ("\n", 2), ("\r\n \r\n", 3)] {
            let error = #expect(throws: FileError.self) {
                try DeviceKeyList(Array((head + text).utf8), from: "keys.csv")
            }
            #expect(error?.explanation.cause.contains("line \(line)") == true)
        }
    }

    /// A key that lost its last digit is no heading.
    @Test(arguments: [("participant,key", 1), ("P9,\(key.dropLast())", nil), ("P9,\(key)", 2)] as [(String, Int?)])
    func aFirstLineWithAWordInPlaceOfTheKeyIsAHeading(line: String, count: Int?) {
        let text = "\(line)\nP1,\(Self.other)"
        #expect((try? DeviceKeyList(Array(text.utf8), from: "keys.csv").keys.count) == count)
    }

    /// A stranger's key, and one that was revoked, may begin as the key that is meant.
    @Test func ofKeysThatBeginAlikeNoneIsApproved() async throws {
        let keys = try DeviceKeys(.memory)
        let (good, stranger) = ("12345678a\(Self.key.dropFirst(9))", "12345678b\(Self.other.dropFirst(9))")
        for key in [good, stranger] { _ = try await keys.admit(key, for: "P1", mode: .required, at: now) }
        try await keys.revoke("P1", at: now)
        for key in ["", "12345678"] {
            #expect(try await keys.approve("P1", key: key, at: now) == 2)
            #expect(try await keys.admit(good, for: "P1", mode: .required, at: now) == .revoked)
        }
        #expect(try await keys.approve("P1", key: "12345678A", at: now) == 1)
        #expect(try await keys.admit(good, for: "P1", mode: .required, at: now) == .admit(isKeyed: true))
        #expect(try await keys.admit(stranger, for: "P1", mode: .required, at: now) == .revoked)
    }

    @Test(arguments: [
        ("", false), ("1234567", false), ("12345678", true), ("1234567x", false), (key, true), (key + "0", false),
    ])
    func aKeyIsApprovedByEightOfItsDigitsAtLeast(key: String, isGood: Bool) {
        #expect(((try? DevicesCommand.Approve.parse(["P1", key])) != nil) == isGood)
    }

    @Test func aServerAndACommandUseTheSameFile() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (server, command) = (
                try DeviceKeys(.file(folder + "/devices.sqlite")), try DeviceKeys(.file(folder + "/devices.sqlite"))
            )
            _ = try await server.admit(Self.key, for: "P1", mode: .pin, at: now)
            try await command.revoke("P1", at: now)
            #expect(try await server.admit(Self.key, for: "P1", mode: .pin, at: now) == .revoked)
        }
    }
}
