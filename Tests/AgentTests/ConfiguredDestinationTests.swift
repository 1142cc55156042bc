// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Agent

@Suite struct ConfiguredDestinationTests {
    private func read(_ text: String) throws -> AgentConfiguration {
        try AgentConfiguration(parsing: "board = 'b'\n" + text, file: "s.toml")
    }

    @Test func theShortFormAndTablesStandBesideEachOther() throws {
        let all = try read(
            """
            [upload]
            recordings = 'https://a.example.org/files'
            [[destination]]
            kind = 'tus'
            takes = 'both'
            url = 'http://b.example.org/files'
            [[destination]]
            kind = 'tus'
            name = 'university'
            takes = 'answers'
            url = 'https://c.example.org/'
            """
        ).destinations
        #expect(all.map(\.destination.name) == ["recordings", "tus", "university"])
        #expect(all.map(\.takes) == [.recordings, .both, .answers])
        #expect(
            all.map(\.destination.address) == [
                "https://a.example.org/files", "http://b.example.org/files", "https://c.example.org/",
            ])
        let routes = DeliveryRoutes(all)
        #expect(routes.recordings == ["recordings", "tus"] && routes.answers == ["tus", "university"])
    }

    /// The ends of each range, and their neighbours in ASCII.
    @Test(arguments: [
        ("az", true), ("09", true), ("-", true), (String(repeating: "x", count: 40), true),
        (String(repeating: "x", count: 41), false), ("", false), ("`", false), ("{", false), ("/", false),
        (":", false), (",", false), (".", false), ("A", false), ("Z", false), ("é", false),
    ]) func aNameIsOfLowerCaseLettersDigitsAndHyphens(name: String, isOne: Bool) {
        let all = try? read(
            "[[destination]]\nkind = 'tus'\ntakes = 'both'\nurl = 'http://x'\nname = '\(name)'"
        ).destinations
        #expect(all?.map(\.destination.name) == (isOne ? [name] : nil))
    }

    /// In KiB.
    @Test(arguments: [("", true), ("15", false), ("16", true), ("1048576", true), ("1048577", false), ("-16", false)])
    func aChunkHasSixteenKibibytesToOneGibibyte(size: String, isTaken: Bool) throws {
        let table = "[[destination]]\nkind = 'tus'\ntakes = 'both'\nurl = 'http://x'\n"
        do {
            let all = try read(table + (size.isEmpty ? "" : "chunk_kib = \(size)\n")).destinations
            #expect(isTaken && all.count == 1)
        } catch {
            #expect(!isTaken && "\(error)".hasPrefix("s.toml:6: destination[0].chunk_kib: "), "\(error)")
        }
    }

    @Test(arguments: [
        ("takes = 'both'", "s.toml:2: destination[0].kind: ", "is missing"),
        ("kind = 'pigeon'", "s.toml:3: destination[0].kind: ", "not one of: tus"),
        ("kind = 'tus'\nurl = 'http://x'", "s.toml:2: destination[0].takes: ", "is missing"),
        ("kind = 'tus'\ntakes = 'all'", "s.toml:4: destination[0].takes: ", "answers, recordings, both"),
        ("kind = 'tus'\ntakes = 'both'", "s.toml:2: destination[0].url: ", "is missing"),
        ("kind = 'tus'\ntakes = 'both'\nurl = 'x.org'", "s.toml:5: destination[0].url: ", "https://"),
        ("kind = 'tus'\ntakes = 'both'\nurl = 'http://x'\npath = 'y'", "s.toml:6: destination[0].path: ", "known keys"),
        ("kind = 'tus'\ntakes = 'both'\nurl = 'http://x'\nname = 'A b'", "s.toml:6: destination[0].name: ", "hyphens"),
        (
            "kind = 'tus'\ntakes = 'both'\nurl = 'http://x'\nname = 'schema'", "s.toml:6: destination[0].name: ",
            "already used"
        ),
    ])
    func mistakesAreNamedWithTheirLine(_ table: String, _ place: String, _ words: String) throws {
        let error = #expect(throws: ConfigError.self) { try read("[[destination]]\n" + table) }
        let told = error.map { "\($0)" } ?? ""
        #expect(told.hasPrefix(place) && told.contains(words), "\(told)")
    }

    /// What is sent to the study's server is sent to them, too, and nothing else is.
    @Test func submittedAnswersGoToWhoeverTakesThem() throws {
        let request = WireRequest(method: "POST", url: "https://s.example.org", headers: [], body: [1])
        func draft(_ itemClass: ItemClass, _ destination: String) -> OutboxDraft {
            OutboxDraft(
                origin: "\(itemClass)", itemClass: itemClass, destination: destination, content: .request(request))
        }
        var commit = StudyCommit()
        commit.drafts = [draft(.answers, "schema"), draft(.events, "schema")]
        var routes = DeliveryRoutes()
        #expect(commit.registered(to: routes).drafts == commit.drafts)
        routes.answers = ["tus", "university"]
        #expect(
            commit.registered(to: routes).drafts == commit.drafts + [
                draft(.answers, "tus"), draft(.answers, "university"),
            ])
    }
}
