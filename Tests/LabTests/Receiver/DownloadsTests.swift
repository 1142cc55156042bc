// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct DownloadsTests {
    private static func html(_ folder: String = "lab", _ change: (inout LabQuery) -> Void = { _ in }) -> String {
        var query = LabQuery()
        change(&query)
        return Downloads(query: query, folder: folder).html.text
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

    @Test func theCommandIsOfWhatIsLookedAt() {
        #expect(Self.html().contains("<pre tabindex=\"0\">study-receiver export --data lab -o dataset</pre>"))
        #expect(
            Self.html { ($0.user, $0.study) = ("P007", "mood") }.contains(
                "study-receiver export --data lab -o dataset --study mood --participant P007</pre>"))
    }

    /// POSIX, Shell Command Language, 2.2.2: between single quotes every character is itself.
    @Test(arguments: [
        ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$(reboot)", "'$(reboot)'"), ("", "''"),
        ("/srv/lab-1_x.y", "/srv/lab-1_x.y"),
        ("a;b", "'a;b'"), ("ä", "'ä'"), ("-x", "-x"),
    ]) func aWordIsOneForTheShell(word: String, quoted: String) async throws {
        #expect(Downloads.quoted(word) == quoted)
        #expect(try await run(["sh", "-c", "printf %s \(Downloads.quoted(word))"]) == word || word == "-x")
    }
}
