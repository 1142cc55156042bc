// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab
@testable import StandIns

/// Forms as curl and a browser send them (RFC 7617, the Fetch standard's `Origin` and `Sec-Fetch-Site`).
@Suite(.timeLimit(.minutes(10))) struct ChangeRoutesTests {
    private static let reading = "correct-horse-battery-staple"
    private static let changing = "another-horse-another-staple"

    private static func tokens(_ options: inout Receiver.Options) {
        options.token = try? AccessToken(reading)
        options.changeToken = try? AccessToken(changing)
    }

    private func post(_ url: String, _ given: [String], _ fields: [String]) async throws -> String {
        let form = fields.flatMap { ["--data-urlencode", $0] }
        return try await run(["curl", "-s", "-i"] + given + form + [url + "/changes"])
    }

    private static let note = ["kind=note", "participant=P1", "label=shelf 3", "note=two\nlines"]

    /// Every route for people and scripts, with no token, the one that reads, and the one that changes.
    @Test(arguments: [([], 401, 401), (["-u", "lab:" + reading], 200, 401), (["-u", "lab:" + changing], 200, 200)])
    func eachTokenOpensItsRoutes(given: [String], reads: Int, changes: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder, Self.tokens) { url, _ in
                let paths =
                    [
                        "/", "/?user=x", "/?user=x&day=2026-11-25", "/changes", "/api/fleet", "/api/missing",
                        "/api/devices",
                        "/api/records", "/api/files", "/api/refusals", "/api/logs", "/api/changes",
                        "/api/prompts?device=x",
                        "/api/trends?device=x",
                    ] + LabTables.names.flatMap { ["/tables/\($0).csv", "/tables/\($0).json"] }
                for path in paths {
                    let answer = try await run(["curl", "-s", "-i"] + given + [url + path])
                    #expect(answer.hasPrefix("HTTP/1.1 \(reads)"), "\(path): \(answer.prefix(200))")
                }
                for path in ["/files/1/content", "/files/1/preview", "/tables/none.csv"] {
                    let answer = try await run(["curl", "-s", "-i"] + given + [url + path])
                    #expect(answer.hasPrefix("HTTP/1.1 \(reads == 200 ? 404 : 401)"), "\(path)")
                }
                let answer = try await post(url, given, Self.note)
                #expect(answer.hasPrefix("HTTP/1.1 \(changes)"), "\(answer)")
                #expect(answer.contains("realm=\"study-receiver: changes\"") == (changes == 401))
                for path in ["/control/fault?mode=none", "/control/answer?status=200"] {
                    let control = try await run(["curl", "-s", "-i", "-X", "POST"] + given + [url + path])
                    #expect(control.hasPrefix("HTTP/1.1 \(changes)"), "\(path)")
                }
            }
        }
    }

    /// As it was before there were two.
    @Test func oneTokenReadsAndChanges() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.token = try? AccessToken(Self.reading) }) { url, _ in
                let good = try await post(url, ["-u", "lab:" + Self.reading], Self.note)
                let without = try await post(url, [], Self.note)
                #expect(good.hasPrefix("HTTP/1.1 200") && without.hasPrefix("HTTP/1.1 401"))
            }
        }
    }

    /// A proxy on this machine that is not named by `--proxy` passes strangers on.
    @Test(arguments: [([], 200), (["-H", "X-Forwarded-For: 192.0.2.7"], 403)])
    func withoutATokenOnlyThisMachineChanges(given: [String], status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await post(url, given, Self.note)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
            }
        }
    }

    @Test(arguments: [
        (["-H", "Origin: http://evil.example"], 403), (["-H", "Origin: null"], 403),
        (["-H", "Sec-Fetch-Site: cross-site"], 403), (["-H", "Sec-Fetch-Site: same-site"], 403),
        (["-H", "Sec-Fetch-Site: same-origin"], 200), (["-H", "Content-Type: text/plain"], 400),
    ]) func formsOfOtherSitesChangeNothing(given: [String], status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                #expect(try await post(url, given, Self.note).hasPrefix("HTTP/1.1 \(status)"))
                let changes = try await json(url + "/api/changes")["changes"]?.array
                #expect(changes?.count == (status == 200 ? 1 : 0))
            }
        }
    }

    private func json(_ url: String) async throws -> JSONValue {
        try JSONReader.value(try await run(["curl", "-s", url]))
    }

    @Test func whatWasChangedIsLoggedWithWhoWhenAndWhat() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, Self.tokens) { url, _ in
                let given = ["-u", "Ada:" + Self.changing]
                let answer = try await post(url, given + ["-H", "Accept: text/html"], Self.note)
                #expect(answer.hasPrefix("HTTP/1.1 303") && answer.contains("Location: /?user=P1"))
                _ = try await post(url, given, ["kind=note", "participant=P1", "label=shelf 4", "note=two\nlines"])
                _ = try await post(url, given, ["kind=note", "participant=P1", "label=shelf 4", "note=two\nlines"])
                _ = try await post(url, given, ["kind=revoke", "participant=P1"])
                let found =
                    try JSONReader.value(try await run(["curl", "-s"] + given + [url + "/api/changes"]))["changes"]?
                    .array ?? []
                #expect(found.map { $0["kind"] } == [.string("revoke"), .string("note"), .string("note")])
                #expect(found.allSatisfy { $0["by"] == .string("Ada") && $0["client"] == .string("127.0.0.1") })
                #expect(found[1]["before"] == .string("[shelf 3] two\nlines"))
                #expect(found[1]["after"] == .string("[shelf 4] two\nlines"))
                #expect(found[1]["at"] == .string("2026-05-28T20:26:40Z"))
                let page = try await run(["curl", "-s"] + given + [url + "/changes"])
                #expect(page.contains("Ada, 127.0.0.1") && page.contains("[shelf 4] two"))
            }
        }
    }

    @Test(arguments: [
        (["kind=note", "participant=P1", "label=" + String(repeating: "ä", count: 80)], 200),
        (["kind=note", "participant=P1", "label=" + String(repeating: "ä", count: 81)], 400),
        (["kind=note", "participant=P1", "note=" + String(repeating: "😀", count: 2000)], 200),
        (["kind=note", "participant=P1", "note=" + String(repeating: "ä", count: 2001)], 400),
        (["kind=note", "participant=P1", "note=" + String(repeating: "x", count: 40_000)], 413),
        (["kind=note", "participant=P1", "label=two\nlines"], 400), (["kind=note", "participant="], 400),
        (["kind=note", "participant=" + String(repeating: "P", count: 200)], 200),
        (["kind=note", "participant=" + String(repeating: "P", count: 201)], 400),
        (["kind=note", "participant=P1", "revision=x"], 400), (["kind=other", "participant=P1"], 400),
        (["kind=approve", "participant=P1", "key=1234567"], 400),
        (["kind=approve", "participant=P1", "key=12345678"], 404),
        (["kind=approve", "participant=P1", "key=1234567x"], 400),
    ]) func whatIsWrittenHasItsSize(fields: [String], status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await post(url, [], fields)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer.prefix(300))")
            }
        }
    }

    @Test(arguments: [("0", 409), ("1", 200)]) func whoHasNotSeenTheLatestNoteIsTold(revision: String, status: Int)
        async throws
    {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                _ = try await post(url, [], Self.note + ["revision=0"])
                let answer = try await post(
                    url, [], ["kind=note", "participant=P1", "note=other", "revision=\(revision)"])
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            }
        }
    }

    @Test func aKeyThatWaitsIsApprovedByThePage() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .required }) { url, _ in
                let device = TestDevice(1)
                func report() async throws -> String {
                    let type = ("Content-Type", "application/json")
                    let options = try device.options("POST", url + "/reports", [type], body: FleetSamples.text)
                    let curl = ["curl", "-s", "-i", "--data-binary", "@-"] + options + [url + "/reports"]
                    return try await run(curl, input: FleetSamples.text)
                }
                #expect(try await report().hasPrefix("HTTP/1.1 401"))
                #expect(
                    try await post(url, [], ["kind=approve", "participant=P007", "key=\(device.publicKey)"]).hasPrefix(
                        "HTTP/1.1 200"))
                #expect(try await report().hasPrefix("HTTP/1.1 200"))
                let page = try await run(["curl", "-s", url + "/?user=P007"])
                #expect(page.contains("Revoke every key") && page.contains(device.publicKey.prefix(12)))
                #expect(page.contains("<th scope=\"col\">public key"))
                #expect(try await post(url, [], ["kind=revoke", "participant=P007"]).hasPrefix("HTTP/1.1 200"))
                #expect(try await report().hasPrefix("HTTP/1.1 403"))
            }
        }
    }
}
