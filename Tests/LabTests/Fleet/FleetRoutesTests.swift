// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab
@testable import StandIns

@Suite(.timeLimit(.minutes(10))) struct FleetRoutesTests {
    private static let key = "correct-horse-battery-staple"
    private static let other = "another-horse-another-staple"

    private func post(_ url: String, _ body: String, key: String? = nil, _ more: [String] = []) async throws -> String {
        let shown = key.map { ["-H", "Studyd-Key: \($0)"] } ?? []
        return try await run(
            [
                "curl", "-s", "-S", "-i", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary",
                "@-",
            ]
                + shown + more + [url], input: body)
    }

    private func json(_ url: String) async throws -> JSONValue {
        try JSONReader.value(try await run(["curl", "-s", url]))
    }

    @Test func aReportIsReceivedAndShown() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let low = try FleetSamples.value(["disk.low": "true"]).text
                let answer = try await post(url + "/reports", low, ["-H", "Studyd-Device: board-1"])
                #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("{\"received\":17}\n"))
                let device = try await json(url + "/api/fleet")["devices"]?.array?.first
                #expect(device?["attention"]?.array?.first?["kind"] == .string("disk"))
                #expect(device?["report"]?["temperature"]?.double == 48.2)
                #expect(
                    try await json(url + "/api/prompts?device=board-1").array?.first?["reason"] == .string("device-off")
                )
                #expect(try await json(url + "/api/trends?device=board-1").array?.count == 1)
                let page = try await run(["curl", "-s", url + "/"])
                #expect(page.contains("1 of 1 device needs attention") && page.contains("low disk"))
            }
        }
    }

    private func post(_ url: String, _ body: String, _ more: [String]) async throws -> String {
        try await post(url, body, key: nil, more)
    }

    @Test func whatCannotBeBelievedIsNamedAndNotKept() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let secret = "a secret of somebody"
                for (body, status) in [
                    ("{", 400), ("[]", 400), (#"{"format":"studyd-report"}"#, 400),
                    (try FleetSamples.value(["power.battery": "7", "note": "\"\(secret)\""]).text, 400),
                ] {
                    let answer = try await post(url + "/reports", body)
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
                    #expect(answer.contains(#""error":"#) && answer.contains(#""remedy":"#))
                }
                #expect(
                    try await post(url + "/reports", String(repeating: " ", count: 65_536)).hasPrefix("HTTP/1.1 400"))
                #expect(
                    try await post(url + "/reports", String(repeating: " ", count: 65_537)).hasPrefix("HTTP/1.1 413"))
                let other = try await post(
                    url + "/reports", FleetSamples.text, ["-H", "Studyd-Device: board-2"])
                #expect(other.hasPrefix("HTTP/1.1 400"))
                let refusals = try await run(["curl", "-s", url + "/api/refusals"])
                #expect(
                    refusals.contains("power.battery has to be a number from 0.0 to 1.0") && !refusals.contains(secret))
                #expect(try await json(url + "/api/fleet")["devices"]?.array?.isEmpty == true)
            }
        }
    }

    @Test func aManifestNamesWhatIsNeitherHereNorExplained() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let sum = try await run(["sha256sum"], input: "abc").prefix(64)
                let place = try await upload(url, "abc", name: "one.cwa", user: "P007", key: nil)
                #expect(place.hasPrefix("HTTP/1.1 204"))
                let fields = SchemaPostTests.log.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                _ = try await run(["curl", "-s"] + fields + [url + "/schema"])
                func entry(_ id: String, _ sum: String, _ state: String, _ why: String = "null") -> String {
                    let fields =
                        #""name":"\#(id).cwa","sha256":"\#(sum)","bytes":3,"count":1,"state":"\#(state)","why":\#(why)"#
                    return #"{"kind":"recording","id":"\#(id)",\#(fields)}"#
                }
                let none = String(repeating: "0", count: 64)
                let entries = [
                    entry("1", String(sum), "delivered"), entry("2", none, "delivered"),
                    entry("3", none, "given up", #""the disk was full""#), entry("4", none, "waiting"),
                ]
                let manifest = #"""
                    {"format":"studyd-manifest","version":1,"device":"board-1","study":"mood","participant":"P007",
                    "enrolment":"e1","day":"2026-11-25","entries":[\#(entries.joined(separator: ","))]}
                    """#
                #expect(try await post(url + "/manifests", manifest).hasPrefix("HTTP/1.1 409"))
                _ = try await post(url + "/reports", FleetSamples.text)
                #expect(try await post(url + "/manifests", manifest).hasSuffix("{\"received\":\"2026-11-25\"}\n"))
                let missing = try await json(url + "/api/missing")["missing"]?.array
                #expect(missing?.map { $0["id"] } == [.string("2")])
                #expect(try await run(["curl", "-s", url + "/"]).contains("neither here nor explained"))
            }
        }
    }

    /// One file by tus, in one piece; what the last answer was.
    private func upload(_ url: String, _ content: String, name: String, user: String, key: String?) async throws
        -> String
    {
        let shown = key.map { ["-H", "Studyd-Key: \($0)"] } ?? []
        let (name, user) = (
            try await run(["base64", "-w0"], input: name), try await run(["base64", "-w0"], input: user)
        )
        let created = try await run(
            [
                "curl", "-s", "-i", "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H",
                "Upload-Length: \(content.utf8.count)",
                "-H", "Upload-Metadata: user_id \(user),filename \(name)",
            ] + shown + [url + "/files"])
        guard let line = created.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("Location: ") }) else {
            return created
        }
        return try await run(
            [
                "curl", "-s", "-i", "-X", "PATCH", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0", "-H",
                "Content-Type: application/offset+octet-stream", "--data-binary", "@-",
            ] + shown + [url + line.dropFirst(10)], input: content)
    }

    @Test func aPinnedNameNeedsItsKeyForFilesAndReports() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }) { url, _ in
                #expect(try await post(url + "/reports", FleetSamples.text, key: Self.key).hasPrefix("HTTP/1.1 200"))
                for key in [nil, Self.other] {
                    let report = try await post(url + "/reports", FleetSamples.text, key: key)
                    #expect(report.hasPrefix("HTTP/1.1 401") && report.contains(#""remedy":"#))
                    #expect(report.contains("WWW-Authenticate: Studyd-Key"))
                    let file = try await upload(url, "abc", name: "a", user: "P007", key: key)
                    #expect(file.hasPrefix("HTTP/1.1 401"), "\(file)")
                }
                #expect(try await upload(url, "abc", name: "a", user: "P007", key: Self.key).hasPrefix("HTTP/1.1 204"))
                #expect(try await upload(url, "abc", name: "a", user: "P008", key: nil).hasPrefix("HTTP/1.1 204"))
                let kinds = try await json(url + "/api/fleet")["devices"]?.array?.first?["attention"]?.array
                #expect(kinds?.map { $0["kind"] } == [.string("cloned")])
            }
        }
    }

    @Test func aRevokedOneIsForbiddenAtOnceAndOthersAreNot() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }) { url, _ in
                _ = try await post(url + "/reports", FleetSamples.text, key: Self.key)
                try await DeviceKeys(.file(folder + "/devices.sqlite")).revoke("P007", at: StillClock().now)
                let report = try await post(url + "/reports", FleetSamples.text, key: Self.key)
                #expect(report.hasPrefix("HTTP/1.1 403") && report.contains("revoked") && report.contains("remedy"))
                #expect(try await upload(url, "abc", name: "a", user: "P007", key: Self.key).hasPrefix("HTTP/1.1 403"))
                try await DeviceKeys(.file(folder + "/devices.sqlite")).revoke("ABDEG234", at: StillClock().now)
                let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                let answer = try await run(["curl", "-s", "-i"] + fields + [url + "/schema"])
                #expect(answer.hasPrefix("HTTP/1.1 403"))
                let next = try FleetSamples.value(["participant": "\"P008\"", "device": "\"board-2\""]).text
                #expect(try await post(url + "/reports", next, key: Self.other).hasPrefix("HTTP/1.1 200"))
                let page = try await run(["curl", "-s", url + "/"])
                #expect(page.contains("revoked") && page.contains("1 of 2 devices needs attention"))
            }
        }
    }

    @Test(arguments: [(nil, 401), (other, 401), (key, 200)] as [(String?, Int)])
    func wherekeysAreRequiredOnlyListedOnesAreGood(key: String?, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .required }) { url, _ in
                let sum = String(try await run(["sha256sum"], input: Self.key).prefix(64))
                try await DeviceKeys(.file(folder + "/devices.sqlite")).add([("P007", sum)], at: StillClock().now)
                #expect(try await post(url + "/reports", FleetSamples.text, key: key).hasPrefix("HTTP/1.1 \(status)"))
                let file = try await upload(url, "abc", name: "a", user: "P007", key: key)
                #expect(file.hasPrefix("HTTP/1.1 \(status == 200 ? 204 : status)"))
            }
        }
    }

    /// Posts need no key, since the platforms' own apps have none; they count by themselves.
    @Test func aStrangersPostsTakeNoRoomFromADeviceWithAKey() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { ($0.deviceKeys, $0.deviceQuota) = (.pin, 3000) }) { url, _ in
                _ = try await post(
                    url + "/reports", FleetSamples.value(["participant": "\"ABDEG234\""]).text, key: Self.key)
                let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                var last = ""
                for _ in 0..<20 where !last.hasPrefix("HTTP/1.1 507") {
                    last = try await run(["curl", "-s", "-i"] + fields + [url + "/schema"])
                }
                #expect(last.hasPrefix("HTTP/1.1 507"))
                let content = String(repeating: "x", count: 2900)
                let file = try await upload(url, content, name: "a", user: "ABDEG234", key: Self.key)
                #expect(file.hasPrefix("HTTP/1.1 204"), "\(file)")
                #expect(
                    try await upload(url, content, name: "b", user: "ABDEG234", key: Self.key).hasPrefix("HTTP/1.1 507")
                )
            }
        }
    }

    @Test func theFleetIsBehindTheToken() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.token = try? AccessToken("correct-horse-battery-staple") }) { url, _ in
                for path in ["/api/fleet", "/api/missing", "/api/prompts?device=x", "/api/trends?device=x"] {
                    let answer = try await curl(url + path)
                    #expect(answer.hasPrefix("HTTP/1.1 401"), "\(path)")
                }
                let answer = try await post(url + "/reports", FleetSamples.text)
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
        }
    }
}
