// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct LabQueryTests {
    @Test(arguments: [
        ("/?attention=silent", 200), ("/?attention=any", 200), ("/?attention=hungry", 400),
        ("/?sort=-batteryShare", 200),
        ("/?sort=nothing", 400), ("/?page=0", 400), ("/?page=10000", 200), ("/?page=10001", 400), ("/?days=all", 200),
        ("/?days=0", 400), ("/?days=1", 200), ("/?days=3660", 200), ("/?days=3661", 400), ("/?days=-1", 400),
        ("/?late=1", 200), ("/?late=10081", 400), ("/?reload=9", 400), ("/?reload=10", 200),
        ("/?user=P1&day=2026-11-25", 200), ("/?user=P1&day=2026-02-30", 400), ("/?user=P1&day=9999-01-01", 400),
        ("/?user=P1&day=2026-11-25&at=23:59", 200), ("/?user=P1&day=2026-11-25&at=24:00", 400),
        ("/?user=P1&day=2026-11-25&at=10:x:03", 400), ("/?user=P1&day=2026-11-25&at=10:", 400),
        ("/?user=P1&day=2026-11-25&at=10::03", 400), ("/?user=\(String(repeating: "x", count: 201))", 400),
        ("/?user=", 200),
        ("/?user=P1&day=2026-11-25&at=1", 400), ("/?q=\(String(repeating: "x", count: 200))", 200),
        ("/?q=\(String(repeating: "x", count: 201))", 400), ("/?q=&attention=&study=&days=", 200),
        ("/tables/participants.csv?sort=nothing", 400), ("/tables/participants.xml", 404),
        ("/tables/participants", 404),
        ("/tables/..%2Fpasswd.csv", 404), ("/tables/prompts.json?user=none", 200),
    ]) func anAddressIsTakenOrRefusedInPlainWords(path: String, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await curl(url + path)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer.prefix(300))")
            }
        }
    }

    @Test func anAddressLeadsToItselfAgain() {
        var query = LabQuery()
        #expect(query.address() == "/")
        (query.user, query.text, query.sort, query.days, query.late) = ("P 1/ä", "a&b", "-version", nil, 30)
        #expect(
            query.address("/tables/x.csv") == "/tables/x.csv?user=P%201%2f%c3%a4&q=a%26b&sort=-version&days=all&late=30"
        )
        #expect(query.sorted(by: "version").contains("sort=version&"))
        #expect(LabQuery().sorted(by: "version") == "/?sort=version")
        // In another order the third page holds others.
        query = LabQuery()
        query.page = 3
        #expect(query.address() == "/?page=3" && query.sorted(by: "version") == "/?sort=version")
    }
}
