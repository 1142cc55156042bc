// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab

/// Names that are a megabyte long: what lists and the page show is bounded where it comes in.
@Suite(.timeLimit(.minutes(10))) struct NameLengthTests {
    private static let long = String(repeating: "n", count: 900_000)

    /// The post with another value for that field, sent by python: a command line holds no more
    /// than 128 kB.
    private func post(_ fields: [(String, String)], to url: String, times: Int = 1) async throws -> [String] {
        let script = """
            import http.client, json, sys, urllib.parse
            fields, times = json.loads(sys.stdin.read())
            c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1].split(':')[2]))
            for i in range(times):
                body = urllib.parse.urlencode([(k, v.replace('#', str(i))) for k, v in fields])
                c.request('POST', '/schema', body, {'Content-Type': 'application/x-www-form-urlencoded'})
                r = c.getresponse(); r.read(); print(r.status)
            """
        let input = try JSONSerialization.data(withJSONObject: [fields.map { [$0.0, $0.1] }, times] as [Any])
        return try await run(["python3", "-c", script, url], input: String(decoding: input, as: UTF8.self))
            .split(separator: "\n").map(String.init)
    }

    private func changed(_ name: String, _ value: String) -> [(String, String)] {
        let post = ["page", "event"].contains(name) ? SchemaPostTests.log : SchemaPostTests.response
        return post.map { $0.0 == name ? (name, value) : $0 }
    }

    @Test(arguments: ["user_id", "study_id", "platform", "page", "event"])
    func aNameHasTwoHundredCharacters(name: String) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let fits = String(repeating: "ä", count: 200)
                let taken = try await post(changed(name, fits), to: url)
                let refused = try await post(changed(name, fits + "ä"), to: url)
                #expect(taken == ["200"] && refused == ["400"])
            }
        }
    }

    /// Posts of 900 kB each, as participants, as names of questions, of fields and as answers: the
    /// page and the lists stay small.
    @Test(arguments: [
        ("user_id", long + "#", "400"), ("responses", #"{"\#(long)#":"1"}"#, "400"),
        ("responses", #"{"q":"\#(long)#"}"#, "200"),
        ("module_name", long + "#", "200"), ("data_type", long + "#", "400"),
    ])
    func postsOfNearlyAMegabyteLeaveThePageSmall(name: String, value: String, status: String) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let statuses = try await post(changed(name, value), to: url, times: 6)
                #expect(Set(statuses) == [status])
                let size = "%{size_download} %{time_total}"
                for path in ["/", "/?user=ABDEG234", "/api/devices", "/api/refusals"] {
                    let told = try await run(["curl", "-s", "-o", "/dev/null", "-w", size, url + path])
                    let bytes = try #require(told.split(separator: " ").first.flatMap { Int($0) })
                    #expect(bytes < 300_000, "\(path): \(told)")
                }
                let records = try await run(["curl", "-s", "-o", "/dev/null", "-w", size, url + "/api/records"])
                #expect(
                    try #require(records.split(separator: " ").first.flatMap { Int($0) }) < 20_000_000, "\(records)")
            }
        }
    }

    @Test func anUploadsNamesAreBoundedToo() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                func create(_ name: String, _ value: String) async throws -> String {
                    let text = Data(value.utf8).base64EncodedString()
                    return try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 0", "-H",
                        "Upload-Metadata: \(name) \(text)",
                        url + "/files")
                }
                let taken = try await create("user_id", String(repeating: "u", count: 200))
                let refused = try await create("user_id", String(repeating: "u", count: 201))
                #expect(taken.hasPrefix("HTTP/1.1 201") && refused.hasPrefix("HTTP/1.1 400"))
                let named = try await create("filename", String(repeating: "f", count: 4000))
                let page = try await curl(url + "/")
                #expect(named.hasPrefix("HTTP/1.1 201") && !page.contains(String(repeating: "f", count: 256)))
            }
        }
    }

    /// Of one device a hundred refusals are kept, and they count with what it has.
    @Test func refusedPostsDoNotPushOutOthersAndAreCounted() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 20_000 }) { url, _ in
                let other = SchemaPostTests.log.dropLast().map { $0.0 == "user_id" ? ("user_id", "other") : $0 }
                let first = try await post(other, to: url)
                #expect(first == ["400"])
                let statuses = try await post(
                    changed("data_type", String(repeating: "x", count: 50)), to: url, times: 120)
                #expect(statuses.first == "400")
                let refusals = try await run(["curl", "-s", url + "/api/refusals"])
                #expect(refusals.contains("\"user\":\"other\""))
                #expect(refusals.split(separator: "\"user\":\"ABDEG234\"").count - 1 <= 100)
                #expect(refusals.utf8.count < 60_000)
            }
        }
    }

    /// A device that was revoked tries again and again. Of all devices the latest thousand are kept.
    @Test func refusalsOfOneDeviceCountForNoOther() async throws {
        let archive = try Archive(.memory)
        func refuse(_ user: String) async throws {
            try await archive.refuse(["x"], path: "/files", user: user, at: .epoch)
        }
        try await refuse("first")
        for _ in 0..<1100 { try await refuse("revoked") }
        #expect(try await archive.refusals(limit: 2000).count == 101)
        for number in 0..<899 { try await refuse("P\(number)") }
        var kept = try await archive.refusals(limit: 2000)
        #expect(kept.count == 1000 && kept.last?.user == "first")
        try await refuse("last")
        kept = try await archive.refusals(limit: 2000)
        #expect(kept.count == 1000 && kept.first?.user == "last" && kept.last?.user == "revoked")
    }
}
