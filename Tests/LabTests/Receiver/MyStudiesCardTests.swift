// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab
@testable import StandIns

/// What the page shows of a study of FDA MyStudies.
@Suite(.timeLimit(.minutes(10))) struct MyStudiesCardTests {
    typealias Tests = MyStudiesRoutesTests

    static func page(_ lab: Tests.Lab) async throws -> String {
        try await curl(String(lab.url.dropLast("/mystudies".count)) + "/")
    }

    @Test func anEmptyStudySaysHowToEnrol() async throws {
        try await Tests.withLab { lab in
            let page = try await Self.page(lab)
            #expect(page.contains("<h2>S1</h2>") && page.contains("No participant has enrolled yet"))
            #expect(page.contains("--token TOKEN") && page.contains("<b>0</b> of <b>2</b> enrolment tokens used"))
            #expect(!page.contains("Nothing has arrived yet"))
            #expect(page.contains("<a href=\"/api/mystudies/runs\">"))
        }
        try await Tests.withLab(tokens: nil) { lab in
            let page = try await Self.page(lab)
            #expect(page.contains("--study S1"))
        }
    }

    /// Typed in as it stands, `http://` would be refused by the proxy.
    @Test(arguments: [(["127.0.0.1"], "https"), ([], "http")] as [([String], String)])
    func theCommandThatEnrolsNamesTheServerAsItIsReached(proxies: [String], scheme: String) async throws {
        try await Tests.withLab(proxies: proxies) { lab in
            let root = String(lab.url.dropLast("/mystudies".count))
            let page = try await curl("-H", "X-Forwarded-Proto: https", root + "/")
            #expect(page.contains("studyd enroll \(scheme)\(lab.url.dropFirst("http".count)) --token"), "\(page)")
        }
    }

    @Test func participantsRunsAndMistakesAreShownWithoutAKey() async throws {
        try await Tests.withLab(isStrict: false) { lab in
            let key = try await Tests.enroll(lab.url)
            _ = try await Tests.send(lab.url, Tests.run(key, Tests.good))
            let wrong = #"{"resultType":"numeric","key":"<b>","value":1}"#
            _ = try await Tests.send(lab.url, Tests.run(key, wrong))
            let early = try await Self.page(lab)
            #expect(early.contains("class=\"n\">2<td class=\"n\">0<td class=\"n wide\">2"), "\(early)")
            lab.clock.advance(.seconds(3))
            let page = try await Self.page(lab)
            let row = "class=\"n\">2<td class=\"n\">1<td class=\"n wide\">0<td class=\"n\"><b class=\"bad\">1</b>"
            #expect(page.contains(row), "\(page)")
            #expect(page.contains("Unable to find column &#39;&lt;b&gt;&#39; in list &#39;A&#39;"))
            #expect(
                page.contains("<td>A<td>1.0<td class=\"n\">2<td class=\"n\">1</tr>") && page.contains("3 s ago")
                    && page.contains("<td>yes<td"))
            #expect(!page.contains(key) && !page.contains(String(key.prefix(8))))
            let short = try #require(try await lab.api("participants").array?.first?["participant"]?.string)
            #expect(short.count == 6 && page.contains("<code>\(short)</code>"))
            _ = try await Tests.post(lab.url + "/response-withdrawFromStudy.api?participantId=" + key)
            let left = try await Self.page(lab)
            #expect(left.contains("<code>\(short)</code> <span class=\"tag dup\">withdrawn</span>"))
            #expect(left.contains("<b>0</b> participants") && left.contains("<b>1</b> withdrawn"))
        }
    }

    /// As many newer ones as a card lists.
    @Test func theFailuresOfAStudyAreNotHiddenByThoseOfAnother() async throws {
        let store = try MyStudiesStore(.memory)
        let now = Instant(seconds: 1_780_000_000)
        for (study, count) in [("S1", 1), ("S2", 50)] {
            #expect(try await store.enroll(study, study: study, token: nil, sharing: "true", at: now))
            let id = try #require(try await store.participant(study)?.id)
            for _ in 0..<count {
                let run = try await store.keep(run: [1], of: id, activity: study, version: "1", at: now)
                try await store.finish(run, errors: ["wrong"])
            }
        }
        for (study, count) in [("S1", 1), ("S2", 50), ("S3", 0)] {
            let failed = try await store.failedRuns(of: study, limit: 50)
            #expect(failed.count == count && failed.allSatisfy { $0.study == study })
        }
        #expect(try await store.failedRuns(of: "S2", limit: 3).count == 3)
    }

    @Test func sessionsThatAreOverAreForgotten() async throws {
        let store = try MyStudiesStore(.memory)
        let begun = Instant(seconds: 1_780_000_000)
        for hour in 0..<3 {
            let now = begun + .seconds(3_600 * hour)
            try await store.begin(session: [UInt8(hour)], user: "u", at: now, forgetting: now - .seconds(7_200))
        }
        var kept: [Bool] = []
        for hour in 0..<3 { kept.append(try await store.session([UInt8(hour)]) != nil) }
        #expect(kept == [false, true, true])
    }

    @Test func aRunThatWasRefusedAtOnceIsShown() async throws {
        try await Tests.withLab { lab in
            let key = try await Tests.enroll(lab.url)
            _ = try await Tests.send(lab.url, Tests.run(key, #"{"resultType":"mood","key":"n","value":1}"#))
            #expect(
                try await Self.page(lab).contains(
                    "MyStudies processResponse: Type &#39;Unknown&#39; (VARCHAR) of result &#39;n&#39;"))
        }
    }

    @Test func whomTheStaffWithdrewIsMarked() async throws {
        try await Tests.withLab { lab in
            _ = try await Tests.enroll(lab.url)
            try lab.write("ABCDEFGHI", to: "withdrawn.txt")
            let page = try await Self.page(lab)
            #expect(page.contains("withdrawn by staff") && page.contains("<b>0</b> participants"))
            #expect(try await lab.api("participants").array?.first?["withdrawnByStaff"] == .boolean(true))
        }
    }

    @Test func whatDoesNotFitIsSaid() async throws {
        let broken =
            #"{"activity":{"metadata":{"studyId":"S1","activityId":"B","version":"2"},"steps":[{"resultType":"mood","key":"k"}]}}"#
        try await Tests.withLab(tokens: "ABCDEFGHI\nABCDEFGHZ\n", files: ["B_2.json": broken]) { lab in
            let page = try await Self.page(lab)
            let remarks = [
                "tokens.txt: the check letter of ABCDEFGHZ is wrong",
                "activityList.json names K in version 1.0, but there is no such file",
                "B 2: the Response server would not take it",
            ]
            for remark in remarks {
                #expect(page.contains(remark), "\(page)")
                #expect(lab.said.all.filter { $0.contains(remark) }.count == 1)
            }
        }
    }

    @Test func aStudyThatIsPausedOrGoneSaysSo() async throws {
        try await Tests.withLab(files: ["study.json": #"{"studyVersion":"1.4","status":"Paused"}"#]) { lab in
            _ = try await Tests.enroll(lab.url)
            let paused = try await Self.page(lab)
            #expect(paused.contains("Paused") && paused.contains("accepts no runs") && paused.contains("version 1.4"))
            try lab.write(Tests.activity.replacingOccurrences(of: "S1", with: "S2"), to: "A_1.0.json")
            let gone = try await Self.page(lab)
            #expect(gone.contains("<h2>S2</h2>") && gone.contains("not served any more"))
        }
    }
}
