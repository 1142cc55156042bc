// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct DownloadsTests {
    private static let now = Instant(seconds: 1_795_593_600)  // 2026-11-25T08:00:00Z

    private static func html(
        _ folder: String = "lab", studies: [String] = [], _ change: (inout LabQuery) -> Void = { _ in }
    ) -> String {
        var query = LabQuery()
        change(&query)
        return Downloads(query: query, studies: studies, data: ["--data", folder], now: now).html.text
    }

    /// Where the datasets of a page are.
    private static func datasets(_ studies: [String], _ change: (inout LabQuery) -> Void = { _ in }) -> [String] {
        html(studies: studies, change).split(separator: "href=\"").map { String($0.prefix { $0 != "\"" }) }.filter {
            $0.hasPrefix("/dataset.zip")
        }
    }

    @Test func everyTableCanBeTakenAsCSVAndAsJSON() {
        for name in LabTables.names {
            for ending in ["csv", "json"] {
                #expect(
                    Self.html { ($0.user, $0.days) = ("P 1", nil) }.contains(
                        "href=\"/tables/\(name).\(ending)?user=P%201&amp;days=all\""), "\(name).\(ending)")
            }
        }
    }

    @Test func aDatasetIsOfWhatIsLookedAt() throws {
        #expect(Self.datasets([]) == ["/dataset.zip", "/dataset.zip?recordings=1"])
        #expect(
            Self.datasets(["mood", "sleep 2"]) == [
                "/dataset.zip?study=mood", "/dataset.zip?study=mood&amp;recordings=1", "/dataset.zip?study=sleep%202",
                "/dataset.zip?study=sleep%202&amp;recordings=1",
            ])
        let day = try LocalDate(parsing: "2026-12-31")
        // What sorts or searches the page changes no dataset.
        let chosen = Self.datasets(["mood", "sleep"]) { query in
            (query.user, query.study, query.day, query.sort, query.text) = ("P&1", "sleep", day, "label", "x")
        }
        #expect(chosen.first == "/dataset.zip?user=P%261&amp;day=2026-12-31&amp;study=sleep" && chosen.count == 2)
        #expect(Self.datasets([]) { $0.days = 28 }.first == "/dataset.zip?days=28")
        #expect(Self.datasets([]) { $0.days = nil }.first == "/dataset.zip?days=all")
    }

    /// The command's days are those of the links beside it.
    @Test(arguments: [(28 as Int?, " --from 2026-10-29"), (1, " --from 2026-11-25"), (14, ""), (nil, "")])
    func theCommandIsOfTheDaysOfTheLinks(_ days: Int?, _ words: String) {
        #expect(Self.html { $0.days = days }.contains("-o dataset\(words)</pre>"))
        #expect(Self.datasets([]) { $0.days = days }[0].contains("days=") == (days != 14))
    }

    @Test func theCommandIsOfWhatIsLookedAt() throws {
        let day = try LocalDate(parsing: "2026-12-31")
        #expect(Self.html { $0.day = day }.contains("-o dataset --from 2026-12-31 --until 2027-01-01</pre>"))
        #expect(Self.html().contains("<pre tabindex=\"0\">study-receiver export --data lab -o dataset</pre>"))
        #expect(
            Self.html { ($0.user, $0.study) = ("P007", "mood") }.contains(
                "study-receiver export --data lab -o dataset --study mood --participant P007</pre>"))
    }

    /// POSIX, Shell Command Language, 2.2.2: between single quotes every character is itself.
    @Test(arguments: [
        ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$(reboot)", "'$(reboot)'"), ("", "''"),
        ("/srv/lab-1_x.y", "/srv/lab-1_x.y"),
        ("it'\u{301}s;id", "'it'\\''\u{301}s;id'"), ("x'\u{200D};id", "'x'\\''\u{200D};id'"),
        ("a;b", "'a;b'"), ("ä", "'ä'"), ("-x", "-x"),
    ]) func aWordIsOneForTheShell(word: String, quoted: String) async throws {
        #expect(word.shellWord == quoted)
        #expect(try await run(["sh", "-c", "printf %s \(word.shellWord)"]) == word || word == "-x")
    }
}
