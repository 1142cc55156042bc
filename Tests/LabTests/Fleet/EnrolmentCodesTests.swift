// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct EnrolmentCodesTests {
    private let now = Instant(seconds: 1_780_000_000)
    private static let key = TestDevice(1).publicKey
    private static let other = TestDevice(2).publicKey
    private let good = DeviceKeyDecision.admit(isKeyed: true)

    private func code(_ keys: DeviceKeys, _ user: String = "P1") async throws -> EnrolmentCode {
        try #require(await keys.giveCodes(to: [user], until: now + .seconds(60)).first)
    }

    @Test(arguments: DeviceKeyMode.allCases)
    func oneKeyIsApprovedByACodeAndASecondIsNot(mode: DeviceKeyMode) async throws {
        let keys = try DeviceKeys(.memory)
        let code = try await code(keys)
        #expect(try await keys.admit(Self.key, for: "P1", mode: mode, code: code, at: now) == good)
        let second = try await keys.admit(Self.other, for: "P1", mode: mode, code: code, at: now)
        #expect(second == (mode == .off ? .admit(isKeyed: false) : .unknown))
        #expect(try await keys.admit(Self.key, for: "P1", mode: mode, at: now) == good, "without it from now on")
        #expect(try await keys.rows(of: "P1").first { $0.key == Self.key }?.state == .approved)
    }

    @Test(
        arguments: [
            ("P1", 60_000, true), ("P1", 60_001, false), ("P2", 0, false),
        ] as [(String, Int64, Bool)])
    func aCodeIsOneParticipantsUntilItsTimeIsOver(user: String, milliseconds: Int64, isGood: Bool) async throws {
        let keys = try DeviceKeys(.memory)
        let code = try await code(keys)
        let moment = now + .milliseconds(milliseconds)
        let decision = try await keys.admit(Self.key, for: user, mode: .required, code: code, at: moment)
        #expect(decision == (isGood ? good : .unknown))
    }

    /// A code that is never used does not stay for good.
    @Test func codesAreForgottenWhenTheirTimeIsOver() throws {
        let connection = try Connection(.memory)
        let codes = try EnrolmentCodes(connection)
        var generator = SystemRandomNumberGenerator()
        let given = (0..<3).map { _ in EnrolmentCode(using: &generator) }
        for (code, user) in zip(given, ["P1", "P2", "P3"]) {
            try codes.add(code, for: user, until: now + .seconds(user == "P3" ? 61 : 60))
        }
        func count() throws -> Int64? { try connection.first("SELECT count(*) FROM code") { try $0.int(0) } }
        #expect(try codes.redeem(given[0], for: "P1", at: now + .seconds(60)))
        #expect(try count() == 2)
        #expect(try !codes.redeem(given[1], for: "P2", at: now + .milliseconds(60_001)))
        #expect(try count() == 1)
        try codes.withdraw("P3")
        #expect(try count() == 0)
    }

    /// The lab sees which codes are out, and until when; what they are is known to those who have them.
    @Test func theListNamesCodesThatAreStillGood() async throws {
        let keys = try DeviceKeys(.memory)
        let used = try await code(keys)
        _ = try await keys.admit(Self.key, for: "P1", mode: .required, code: used, at: now)
        let unused = try await keys.giveCodes(to: ["P3", "P\u{9B}2"], until: now + .seconds(60))
        func list(_ options: [String], after milliseconds: Int64) async throws -> [String] {
            try await DevicesCommand.List.parse(options).lines(keys, at: now + .milliseconds(milliseconds))
        }
        let (lines, objects) = (try await list([], after: 60_000), try await list(["--json"], after: 60_000))
        #expect(lines.first == "P1\tapproved\t\(Self.key)\t\(now.rfc3339Zulu())")
        let until = (now + .seconds(60)).rfc3339Zulu()
        #expect(
            lines.dropFirst() == [
                "P3\tcode\t(unused, good until)\t\(until)", "P\\u009B2\tcode\t(unused, good until)\t\(until)",
            ])
        #expect(
            objects.first
                == #"{"participant":"P1","state":"approved","key":"\#(Self.key)","last":"\#(now.rfc3339Zulu())"}"#)
        #expect(objects[1] == #"{"participant":"P3","state":"code","until":"\#(until)"}"#)
        #expect(objects.count == 3)
        for code in unused { #expect(!(lines + objects).joined().contains(code.text)) }
        #expect(try await list([], after: 60_001) == [lines[0]])
    }

    /// Codes are printed a line each, on a terminal or into a file.
    @Test(arguments: [
        ("P 1, left", true), ("Jürgen", true), (String(repeating: "x", count: 200), true), ("", false), (" P1", false),
        ("P1\n", false), ("P\u{1B}[31m1", false), ("P\u{9B}1", false), (String(repeating: "x", count: 201), false),
    ])
    func onlyANameThatADeviceCanHaveGetsACode(_ name: String, _ isTaken: Bool) {
        #expect(((try? DevicesCommand.Codes.parse(["P1", name])) != nil) == isTaken)
    }

    @Test func aRevokedKeyComesBackByNoCodeAndTheNextDeviceDoes() async throws {
        let keys = try DeviceKeys(.memory)
        let unused = try await code(keys)
        _ = try await keys.admit(Self.key, for: "P1", mode: .required, code: code(keys), at: now)
        try await keys.revoke("P1", at: now)
        #expect(try await keys.admit(Self.other, for: "P1", mode: .required, code: unused, at: now) == .revoked)
        let next = try await code(keys)
        #expect(try await keys.admit(Self.key, for: "P1", mode: .required, code: next, at: now) == .revoked)
        #expect(try await keys.admit(Self.other, for: "P1", mode: .required, code: next, at: now) == good)
    }

    /// The agent's own client and key file against the receiver: the code is sent until it has worked.
    @Test func aDeviceIsKnownByItsCodeAndForgetsIt() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .required }, clock: StillClock()) { url, _ in
                let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
                let code = try #require(
                    await keys.giveCodes(to: ["P007"], until: StillClock().now + .seconds(60)).first)
                let wrong = try #require(EnrolmentCode("0000-0000-0000"))
                let unknown = try await TestDevice(3).report(FleetSamples.text, to: url, at: now, code: wrong)
                #expect(unknown.answer == "codeRefused" && unknown.code == wrong)
                let over = try #require(
                    await keys.giveCodes(to: ["P007"], until: StillClock().now - .seconds(1)).first)
                let late = try await TestDevice(4).report(FleetSamples.text, to: url, at: now, code: over)
                #expect(late.answer == "codeRefused" && late.code == over)
                let first = try await TestDevice(1).report(FleetSamples.text, to: url, at: now, code: code)
                #expect(first.answer.contains("received") && first.code == nil)
                let second = try await TestDevice(2).report(FleetSamples.text, to: url, at: now, code: code)
                #expect(second.answer == "codeRefused" && second.code == code)
                let bytes = try BoundedFile.read(folder + "/devices.sqlite", limit: 1 << 20)
                #expect(!String(decoding: bytes, as: UTF8.self).contains(code.text), "it is kept as a digest")
            }
        }
    }
}
