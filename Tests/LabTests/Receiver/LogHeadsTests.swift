// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit
import Testing

@testable import Lab

/// A log of which rows were told of must still have them. The idea is that of RFC 9162 (Certificate
/// Transparency): a head that was seen, and a log that later shows another history, are a
/// contradiction that the log cannot talk itself out of.
@Suite struct LogHeadsTests {
    private static let log = String(repeating: "ab", count: 16)
    private let now = Instant(seconds: 1_780_000_000)

    private func hash(_ sequence: Int, _ history: String = "") -> String {
        let digits = String(sequence * 7919, radix: 16) + history
        return digits + String(repeating: "0", count: 32 - digits.count)
    }

    private func field(_ rows: [Int], _ history: String = "") -> String {
        ([Self.log] + rows.map { "\($0):\(hash($0, history))" }).joined(separator: " ")
    }

    private func alarms(_ fields: [String], user: String? = nil) async throws -> [String] {
        let heads = try LogHeads(.memory)
        for field in fields { try await heads.record(field, user: user, at: now) }
        return try await heads.alarms().map(\.text)
    }

    @Test func aLogThatGrowsIsFine() async throws {
        #expect(
            try await alarms([
                field([3]), field([9, 3]), field([12, 9, 3]), field([20, 12, 9, 3]), field([31, 20, 12, 9]),
            ]).isEmpty)
        // Many uploads that did not arrive, then one that did.
        #expect(try await alarms([field([3]), field([90, 80, 70, 60, 3])]).isEmpty)
        // Two uploads at once: the one that began first arrives last, and its
        // pieces go on for long.
        #expect(
            try await alarms([
                field([12, 9, 3]), field([9, 3]), field([30, 12, 9, 3]), field([9, 3]), field([12, 9, 3]),
            ]).isEmpty)
    }

    @Test func aMissingEndIsFound() async throws {
        let cut = try await alarms([field([3]), field([9, 3]), field([20, 9, 3]), field([12, 9, 3], "")])
        #expect(cut.count == 1 && cut[0].contains("its end is missing"), "\(cut)")
        // It has grown beyond what was reported before the next upload.
        let grown = try await alarms([field([3]), field([9, 3]), field([20, 9, 3]), field([40, 9, 3])])
        #expect(grown.count == 1 && grown[0].contains("row 20"), "\(grown)")
        let young = try await alarms([field([3]), field([7])])
        #expect(young.count == 1 && young[0].contains("row 3"), "\(young)")
    }

    @Test func aRewrittenChainIsFound() async throws {
        let forged = try await alarms([field([3]), field([9, 3]), field([20, 9, 3], "f")])
        #expect(forged.contains { $0.contains("row 9 differs from when it was first reported") }, "\(forged)")
        #expect(forged.contains { $0.contains("row 3 differs") })
    }

    @Test func anotherLogOfTheSameParticipantIsTold() async throws {
        let heads = try LogHeads(.memory)
        try await heads.record(field([3]), user: "P1", at: now)
        try await heads.record(String(repeating: "cd", count: 16) + " 1:" + hash(1), user: "P1", at: now)
        let alarms = try await heads.alarms()
        #expect(alarms.count == 1 && alarms[0].text.contains("P1") && alarms[0].user == "P1")
        #expect(try await heads.logs().count == 2)
    }

    @Test(arguments: [
        "", "x", "ab", "zz 3:00", "abababababababab 3", "abababababababab 0:0000000000000000", "abababababababab 3:00",
        "abababababababab 3:0000000000000000 9:0000000000000000",
        "abababababababab 99999999999999999999:0000000000000000",
        String(repeating: "a", count: 2000),
    ])
    func whatIsNoHeadIsPassedOver(field: String) async throws {
        let heads = try LogHeads(.memory)
        try await heads.record(field, user: nil, at: now)
        #expect(try await heads.logs().isEmpty)
    }

    /// Any client can send the field: what one address reports pushes out no other's.
    @Test func oneClientDoesNotPushOutAnother() async throws {
        let heads = try LogHeads(.memory)
        func log(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        try await heads.record(field([9, 3]), user: "P1", from: "192.0.2.1", at: now)
        for number in 1...(LogHeads.mostLogsOfOne + 50) {
            try await heads.record("\(log(number)) 1:\(hash(1))", user: "P\(number)", from: "192.0.2.9", at: now)
        }
        #expect(try await heads.logs().count == LogHeads.mostLogsOfOne + 1)
        try await heads.record("\(log(99_999)) 1:\(hash(1))", user: "P2", from: "192.0.2.2", at: now)
        #expect(try await heads.logs().count == LogHeads.mostLogsOfOne + 2)
        // A real contradiction, and then more than a thousand invented ones.
        try await heads.record(field([5, 3]), user: "P1", from: "192.0.2.1", at: now)
        for sequence in 2...1100 {
            try await heads.record("\(log(1)) \(2 * sequence):\(hash(1))", user: nil, from: "192.0.2.9", at: now)
            try await heads.record("\(log(1)) \(2 * sequence - 1):\(hash(1))", user: nil, from: "192.0.2.9", at: now)
        }
        let alarms = try await heads.alarms()
        #expect(alarms.count <= 1000 && alarms.contains { $0.user == "P1" && $0.text.contains("its end is missing") })
    }

    @Test func theRealServerHearsIt() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { address, _ in
                for rows in [[20, 9, 3], [12, 9, 3]] {
                    _ = try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 1", "-H",
                        "Studyd-Log: " + self.field(rows), address + "/files")
                }
                let page = try await curl(address + "/")
                #expect(page.contains("its end is missing"), "\(page)")
                let list = try await curl(address + "/api/logs")
                #expect(list.contains("its end is missing") && list.contains("\"sequence\":20"), "\(list)")
            }
        }
    }

    /// What an upload says of compliance is its participant's; a field that cannot be read changes nothing.
    @Test func theRealServerHearsOfCompliance() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { address, _ in
                for (compliance, shown) in [
                    ("2026-05-27=5/3/1/2", ">3 of 5 (60 %)"), ("nonsense", ">3 of 5 (60 %)"),
                    ("2026-05-27=5/4/1/1", ">4 of 5 (80 %)"),
                ] {
                    _ = try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 1", "-H",
                        "Studyd-Log: " + self.field([3]), "-H", "Studyd-Compliance: " + compliance, "-H",
                        "Upload-Metadata: user_id " + Base64.encoded(Array("P1".utf8)), address + "/files")
                    let page = try await curl(address + "/")
                    #expect(page.contains(shown), "\(page)")
                }
            }
        }
    }

    /// A log and one to 31 rows, the latest first, in at most 2000 bytes.
    @Test(arguments: [(0, false), (1, true), (31, true), (32, false)]) func aHeadHasOneTo31Rows(rows: Int, isRead: Bool)
    {
        let sequences = Array((1...32).reversed().prefix(rows))
        let claim = LogHeads.Claim(field(sequences))
        #expect((claim != nil) == isRead && claim?.log == (isRead ? Self.log : nil))
        if let claim { #expect(claim.rows.map { Int($0.sequence) } == sequences) }
    }

    @Test(arguments: [(2000, true), (2001, false)]) func aHeadHas2000BytesAtMost(bytes: Int, isRead: Bool) {
        let head = field([9, 3])
        let claim = LogHeads.Claim(head + String(repeating: " ", count: bytes - head.utf8.count))
        #expect((claim != nil) == isRead)
    }

    /// Ten thousand are kept: for one more the log with the fewest rows goes, the oldest of these.
    @Test(arguments: [(9999, false), (10_000, true)]) func ofTooManyLogsThatOfTheFewestRowsGoes(logs: Int, isLost: Bool)
        async throws
    {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let heads = try LogHeads(.file(folder + "/heads.sqlite"))
            try await heads.record(field([9, 3]), user: "P1", from: "192.0.2.1", at: now)
            let young = String(repeating: "cd", count: 16) + " 3:" + hash(3)
            try await heads.record(young, user: "P2", from: "192.0.2.1", at: now + .seconds(2))
            let old = String(repeating: "ef", count: 16) + " 3:" + hash(3)
            try await heads.record(old, user: "P3", from: "192.0.2.1", at: now + .seconds(1))
            try await heads.record(compliance: "2026-05-27=5/3/1/2", of: old, at: now)
            // Each with two rows, and of a client of its own.
            let other = try Connection(.file(folder + "/heads.sqlite"))
            let numbers = "WITH RECURSIVE n (i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < \(logs))"
            try other.execute(
                "\(numbers) INSERT INTO log (log, user, began, client) SELECT printf('%032x', i), '', 0, 'c' || i FROM n"
            )
            for row in [1, 2] {
                try other.execute(
                    "\(numbers) INSERT INTO head SELECT printf('%032x', i), \(row), printf('%032x', i), 0 FROM n")
            }
            func count(_ table: String) throws -> Int64? {
                try other.first("SELECT count(*) FROM \(table)") { try $0.int(0) }
            }
            #expect(try count("log") == Int64(logs))
            try await heads.record(
                String(repeating: "12", count: 16) + " 1:" + hash(1), user: "P4", from: "192.0.2.4", at: now)
            #expect(try count("log") == 10_000)
            let compliance = try await heads.compliance(of: "P3")
            #expect((compliance == nil) == isLost)
            // It has no row left that the same log, begun again, would contradict.
            try await heads.record(
                String(repeating: "ef", count: 16) + " 1:" + hash(1), user: nil, from: "192.0.2.5", at: now)
            let alarms = try await heads.alarms().filter { $0.text.contains("its end is missing") }
            #expect(alarms.isEmpty == isLost, "\(alarms)")
        }
    }

    /// A participant's faults are what was refused and what the log contradicts, together.
    @Test func whatAParticipantHasOfBothIsAddedUp() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { address, _ in
                func send(_ fields: [(String, String)]) async throws {
                    let forms = fields.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                    _ = try await run(["curl", "-s", "-S"] + forms + [address + "/schema"])
                }
                try await send(SchemaPostTests.response)
                let user = "user_id " + Base64.encoded(Array("ABDEG234".utf8))
                for rows in [[20, 9, 3], [12, 9, 3]] {
                    _ = try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 1", "-H",
                        "Studyd-Log: " + self.field(rows), "-H", "Upload-Metadata: " + user, address + "/files")
                }
                for _ in 0..<2 { try await send([("user_id", "ABDEG234")]) }
                let all = try await curl(address + "/")
                #expect(all.contains("data-name=\"faults\" class=\"n bad\">3<"), "\(all)")
            }
        }
    }
}
