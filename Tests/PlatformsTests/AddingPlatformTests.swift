// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Platforms
import Study
import Testing

/// The example of docs/adding/platform.md: compiled here, and played as the agent plays a platform.
@Suite struct AddingPlatformTests {
    static let catalog = PlatformCatalog(PlatformCatalog.kinds + [PostcardPlatform.self])
    static let file =
        #"{"postcard":"S1","url":"https://example.org/in","consent":"We keep your answers.","ask":["Did you sleep well?","Are you awake?"],"euros":2}"#

    private static func file(_ path: String) throws -> String {
        let root = #filePath.replacing("Tests/PlatformsTests/AddingPlatformTests.swift", with: "")
        return String(decoding: try #require(FileBytes.read(root + path)), as: UTF8.self)
    }

    @Test func thePageShowsTheExampleAsItIsCompiled() throws {
        let page = try Self.file("docs/adding/platform.md")
        let example = try Self.file("Tests/PlatformsTests/PostcardPlatform.swift")
        #expect(page.contains("```swift\n" + example + "```\n"))
    }

    @Test func oneLineInTheCatalogMakesItKnown() throws {
        let study = try Self.catalog.decode(StudySource(Array(Self.file.utf8)))
        #expect(study.platform.rawValue == "postcard" && study.studyID == "S1")
        #expect(study.tasks[0].content.steps.map(\.text) == ["Did you sleep well?", "Are you awake?"])
        #expect(Self.catalog.names == PlatformCatalog.standard.names + ["postcard"])
        #expect(throws: StudyFormatError.self) {
            try PlatformCatalog.standard.decode(StudySource(Array(Self.file.utf8)))
        }
    }

    @Test func whatIsWrongIsNamedWithPathAndLine() throws {
        let text = "{\"postcard\":\"S1\",\n\"ask\":[1]}"
        let error = #expect(throws: StudyFormatError.self) { try Self.catalog.decode(StudySource(Array(text.utf8))) }
        #expect(error?.problems.map { "\($0.path) \($0.line ?? 0)" } == ["$.ask[0] 2"])
    }

    @Test func itsRunsAndRequestsAreMadeByItsOwnRules() throws {
        let study = try Self.catalog.decode(StudySource(Array(Self.file.utf8)))
        let joined = try Instant(rfc3339: "2026-03-01T12:00:00Z")
        let enrolment = Enrolment(
            id: "e", studyID: "S1", participant: ParticipantID("P1"), condition: nil, instant: joined,
            local: Zone.utc.local(joined), seed: [1])
        let context = ScheduleContext(
            enrolment: enrolment, zone: .utc, chance: Chance(seed: [1], digest: testDigest), facts: StudyFacts())
        let runs = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
        let morning = try Instant(rfc3339: "2026-03-02T09:00:00Z")
        #expect(runs.count == 30 && runs[0].due == morning)
        let submission = Submission(
            task: "card", occurrence: runs[0], order: ["q1", "q2"], answers: ["q1": .boolean(true)], drawn: [],
            submitted: runs[0].due)
        let platform = try #require(Self.catalog[PostcardPlatform.name])
        let requests = study.writer.requests(
            for: .submitted(submission), at: runs[0].due,
            in: WireContext(study: study, enrolment: enrolment, zone: .utc, postURL: nil))
        #expect(requests.map(\.url) == ["https://example.org/in"])
        #expect(
            requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"who":"P1","answers":{"q1":true,"q2":null}}"#
            ])
        #expect(platform.wire.verdict(status: 200, body: []) == .delivered(receipt: "200"))
        let message = StudyHappening(.message, at: morning)
        let raised = study.tasks[0].schedule.raised(by: message, of: study.tasks[0], in: context)
        #expect(raised.map(\.due) == [morning + .seconds(3_600)] && !runs.map(\.id).contains(raised[0].id))
        #expect(
            study.tasks[0].schedule.raised(by: .init(.submitted, at: morning), of: study.tasks[0], in: context).isEmpty)
    }

    /// A special consent, reward and trigger: the model has a place for each, and none that is
    /// named for a platform.
    @Test func whatIsSpecialAboutItHasAPlaceInTheModel() throws {
        let study = try Self.catalog.decode(StudySource(Array(Self.file.utf8)))
        #expect(study.texts.consent == "We keep your answers.")
        #expect(study.reward?.afterDays == 30)
        #expect(study.reward?.sum(["card": 3]) == 6 && study.reward?.sum(["card": 99]) == 60)
        let plain = #"{"postcard":"S1","ask":["Did you sleep well?"]}"#
        #expect(try Self.catalog.decode(StudySource(Array(plain.utf8))).reward == nil)
    }

    /// Neither a name nor a type of a property of the model begins with that of a platform, and none
    /// is a value that has to be cast.
    @Test func noPropertyOfTheModelIsOfOnePlatform() throws {
        for name in ["StudyProtocol", "StudyTask", "Occurrence"] {
            let lines = try Self.file("Sources/Study/Model/\(name).swift").split(separator: "\n").filter {
                $0.contains(" var ") || $0.contains(" let ")
            }
            #expect(lines.count > 10 && !lines.contains { $0.contains("any Sendable") }, "\(name)")
            let words = lines.flatMap { $0.split { !$0.isLetter }.map { $0.lowercased() } }
            for platform in Self.catalog.names {
                #expect(!words.contains { $0.hasPrefix(platform) }, "\(platform) in \(name)")
            }
        }
    }

    /// The rules that it did not write.
    @Test func whatAPlatformDoesNotSayIsAsMostHaveIt() throws {
        let platform = try #require(Self.catalog[PostcardPlatform.name])
        var generator: any RandomNumberGenerator = SplitMix64(seed: 1)
        #expect(platform.pseudonym(before: "OLD", using: &generator).text == "OLD")
        #expect(platform.pseudonym(before: nil, using: &generator).text.count == 8)
        #expect(platform.leaving(deletesData: true) == Leaving(deletesUnsent: true, erasesAnswers: true))
        #expect(platform.leaving(deletesData: false) == Leaving(deletesUnsent: false, erasesAnswers: false))
        #expect(!platform.isPause("Paused") && platform.resendsUncertain)
        #expect(platform.claim(JoinRequest(source: "https://example.org/x")) == .none)
    }
}
