// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Synchronization
import Testing

@testable import PlatformESMira

/// Joining, as far as it needs no network: what `studies.php` of ESMira-web 3.5.1 answers, and what
/// ESMira-apps f750e58 does with it.
@Suite struct ESMiraJoiningTests {
    private static func study(_ id: Int, _ questionnaire: Int) -> String {
        #"{"id":\#(id),"title":"<b>Study \#(id)</b>","questionnaires":[{"internalId":\#(questionnaire),"title":"Q",\#(ESMiraSample.pages)}]}"#
    }

    private static func offer(_ source: String) throws -> JoinOffer {
        let studies = [study(7, 70_001), study(8, 80_001)].joined(separator: ",")
        let body = #"{"success":true,"serverVersion":11,"dataset":[\#(studies)]}"#
        return try ESMiraServer(Answering(body: Array(body.utf8))).offer(JoinRequest(source: source))
    }

    @Test func severalStudiesBehindOneKeyAreListedAndOneIsChosenByItsNumber() throws {
        #expect {
            _ = try Self.offer("https://s.example/app-mood")
        } throws: { error in
            let text = "\(error)"
            return text.contains(#"7 "Study 7", 8 "Study 8""#) && text.contains("e.g. https://s.example/7-mood")
        }
        for source in ["https://s.example/8-mood", "https://s.example/survey-80001-mood"] {
            let bundle = try #require(StudyBundle.source(try Self.offer(source).bytes))
            #expect(try ESMiraReader().decode(bundle).studyID == "8")
            #expect(bundle.options.accessKey == "mood" && bundle.options.serverAddress == "https://s.example/")
        }
        #expect {
            _ = try Self.offer("https://s.example/9-mood")
        } throws: { error in
            "\(error)".contains("none of the studies opened by the access key mood has that number")
                && "\(error)".hasSuffix("; write the number of one of them in the address")
        }
    }

    /// A word at the end is the key, or the server's folder where another key is given.
    @Test(arguments: [
        ("https://s.example/mood", "mood", "https://s.example/"),
        ("https://s.example/mood", "other", "https://s.example/mood/"),
        ("https://s.example/mood/", "other", "https://s.example/mood/"),
        ("https://s.example/a/mood", "other", "https://s.example/a/mood/"),
        ("https://s.example/7-mood", "other", "https://s.example/"),
    ])
    func aWordBesideAnotherKeyIsAFolder(_ source: String, _ key: String, _ server: String) throws {
        var arguments = PlatformArguments()
        arguments.add(ESMiraOptions.accessKey.name, key)
        let body = #"{"success":true,"serverVersion":11,"dataset":[\#(Self.study(7, 70_001))]}"#
        let offer = try ESMiraServer(Answering(body: Array(body.utf8))).offer(
            JoinRequest(source: source, arguments: arguments))
        let bundle = try #require(StudyBundle.source(offer.bytes))
        #expect(bundle.options.serverAddress == server && bundle.options.accessKey == key)
    }

    /// Without a scheme it may be a file of that name.
    @Test(
        arguments: [
            ("https://s.example/app-7-mood", nil, .certain), ("http://s.example/survey-7", nil, .certain),
            ("https://s.example/mood", nil, .possible), ("https://s.example/mood", "mood", .certain),
            ("esmira://s.example/mood", nil, .certain), ("s.example/app-7-mood", nil, .none),
            ("s.example/app-7-mood", "mood", .none), ("study.json", nil, .none),
            ("https://s.example/study.json", nil, .none),
        ] as [(String, String?, PlatformClaim)])
    func whatIsJoinedByAnAddressIsClaimed(_ source: String, _ key: String?, _ claim: PlatformClaim) {
        var arguments = PlatformArguments()
        if let key { arguments.add(ESMiraOptions.accessKey.name, key) }
        #expect(ESMiraPlatform().claim(JoinRequest(source: source, arguments: arguments)) == claim)
    }

    /// `Web.loadStudies` asks `studies_fallback.php` only where the server itself is not
    /// there, and names it.
    @Test(arguments: [
        ("https://s.example/", "aHR0cHM6Ly9zLmV4YW1wbGUv"), ("https://ss.example/", "aHR0cHM6Ly9zcy5leGFtcGxlLw%3D%3D"),
    ])
    func theFallbackIsAskedOnlyWhereTheServerIsNotThere(_ server: String, _ encoded: String) throws {
        let device = Absent(body: Array(#"{"success":true,"serverVersion":11,"dataset":[\#(Self.study(7, 1))]}"#.utf8))
        // https://b.example/
        let source = server + "7-mood?fallback=aHR0cHM6Ly9iLmV4YW1wbGUv"
        let bundle = try #require(
            StudyBundle.source(try ESMiraServer(device).offer(JoinRequest(source: source)).bytes))
        #expect(bundle.options.serverAddress == server)
        let asked = device.asked.withLock { $0 }
        #expect(
            asked.last == "https://b.example/api/studies_fallback.php?lang=en&access_key=mood&fromUrl=\(encoded)")
        #expect(asked.count == 2)
    }

    /// `DbUser.getUid`.
    @Test func theUserIDHasTheFormOfTheAppsAndIsKept() {
        let letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz"
        var generator: any RandomNumberGenerator = SplitMix64(seed: 1)
        for _ in 0..<100 {
            let text = ESMiraPlatform().pseudonym(before: "ABC23456", using: &generator).text
            let groups = text.split(separator: "-")
            #expect(groups.map(\.count) == [4, 4, 4] && groups.joined().allSatisfy(letters.contains), "\(text)")
            #expect(ESMiraPlatform().pseudonym(before: text, using: &generator).text == text)
        }
    }

    @Test func aStudyThatCannotBeToldApartOrHasNothingToAskIsRefusedByItsPlace() {
        let page = ESMiraSample.pages
        let twice = #"{"id":7,"questionnaires":[{"internalId":1,\#(page)},{"internalId":1,\#(page)}]}"#
        #expect(ESMiraSample.problems(twice).map(\.path) == ["$.questionnaires[1].internalId"])
        for empty in [#"{"id":7,"questionnaires":[]}"#, #"{"id":7,"questionnaires":[{"internalId":1,"pages":[]}]}"#] {
            #expect(ESMiraSample.problems(empty).map(\.path) == ["$.questionnaires"], "\(empty)")
        }
    }

    @Test func aStudyOfANewerServerIsReadAndThatIsSaid() throws {
        let study = try ESMiraSample.study(ESMiraSample.pages, #","serverVersion":14"#)
        #expect(study.remarks.contains { $0.path == "$.serverVersion" && $0.kind == .warning })
        let known = try ESMiraSample.study(ESMiraSample.pages, #","serverVersion":13"#)
        #expect(known.remarks.allSatisfy { $0.path != "$.serverVersion" })
    }

    /// `Questionnaire.canBeFilledOut`: the study's minutes after the last time, 60 where it names
    /// none.
    @Test func itRestsForAsLongAsTheStudySays() throws {
        func rest(_ more: String) throws -> Duration? {
            try ESMiraSample.study(ESMiraSample.pages + more).tasks[0].rest
        }
        #expect(try rest("") == nil && rest(#","completionFrequencyMinutes":30"#) == nil)
        #expect(try rest(#","limitCompletionFrequency":true"#) == .seconds(3_600))
        #expect(try rest(#","limitCompletionFrequency":true,"completionFrequencyMinutes":30"#) == .seconds(1_800))
    }

    /// `Scheduler.scheduleSignalTime` with `legacyScheduling`: the first day on which the time lies
    /// a day ahead, for who joined at ten.
    @Test(arguments: [(9, "2026-03-04"), (10, "2026-03-03"), (11, "2026-03-03")])
    func anOldStudyCountsHours(hour: Int, day: String) throws {
        let signal = #"{"startTimeOfDay":\#(hour * 3_600_000)}"#
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":5,"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[\#(signal)]}]}]"#,
            #","legacyScheduling":true"#)
        let first = try #require(ESMiraSample.occurrences(study).first { $0.isSignalled })
        #expect("\(first.local)".hasPrefix(day))
    }
}

/// A network on which only the second server answers.
private final class Absent: PlatformDevice {
    struct NotThere: Error {}

    let body: [UInt8]
    let asked = Mutex<[String]>([])

    init(body: [UInt8]) { self.body = body }

    func send(_ request: WireRequest) throws -> ServerAnswer { try download(request) }
    func download(_ request: WireRequest) throws -> ServerAnswer {
        asked.withLock { $0.append(request.url) }
        guard request.url.hasPrefix("https://b.example/") else { throw NotThere() }
        return ServerAnswer(status: 200, body: body)
    }
    func secret(_ credential: String) throws -> String { "" }
}
