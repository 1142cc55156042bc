// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformMyStudies

struct MyStudiesWireTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let expected: Verdict
        var testDescription: String { "\(status) \(body)" }
        init(_ status: Int, _ body: String, _ expected: Verdict) {
            (self.status, self.body, self.expected) = (status, body, expected)
        }
    }

    static func refusal(_ text: String) -> String { #"{"exception":"\#(text)","success":false,"errors":[]}"# }

    static let cases = [
        Case(200, #"{"success":true}"#, .delivered(receipt: "200 success")),
        Case(200, "<html>sign in</html>", .retry(reason: "the server's answer does not say success")),
        Case(200, #"{"success":false}"#, .retry(reason: "the server's answer does not say success")),
        Case(400, refusal("Unable to identify participant"), .refused(reason: "Unable to identify participant")),
        Case(400, "", .refused(reason: "the server answered with status 400")),
        Case(
            400, refusal("Response collection is not currently enabled for study [ X ]"),
            .retry(reason: "Response collection is not currently enabled for study [ X ]")),
        Case(400, refusal("Invalid ParticipantId."), .refused(reason: "Invalid ParticipantId.")),
        Case(502, "", .retry(reason: "the server answered with status 502, not 200")),
        Case(504, "", .uncertain(reason: "the server's gateway did not wait for it (504)")),
        Case(401, "", .retry(reason: "the server answered with status 401, not 200")),
    ]

    @Test(arguments: cases) func answersMeanWhatTheServerMeans(_ test: Case) {
        #expect(MyStudiesWire().verdict(status: test.status, body: Array(test.body.utf8)) == test.expected)
    }

    /// Others, such as of an unknown participant, may be a fault of the address.
    @Test(arguments: [("Participant has withdrawn from study", true), ("Unable to identify participant", false)])
    func theWithdrawnAreToldFromTheUnknown(_ words: String, _ isOver: Bool) {
        #expect(MyStudiesWire().verdict(status: 400, body: Array(Self.refusal(words).utf8)) == .refused(reason: words))
        #expect(MyStudiesPlatform().endsParticipation(words) == isOver)
    }

    /// Words and calls are those of LabKey/mobileAppStudy e740c284 (`MobileAppStudyController.java`).
    @Test(arguments: [
        ("processResponse", 400, refusal("Invalid ParticipantId."), Verdict.refused(reason: "Invalid ParticipantId.")),
        (
            "processResponse", 400, refusal("Participant has withdrawn from study"),
            .refused(reason: "Participant has withdrawn from study")
        ),
        (
            "withdrawFromStudy", 400, refusal("Invalid ParticipantId."),
            .delivered(receipt: "400 Invalid ParticipantId.")
        ),
        (
            "withdrawFromStudy", 500, refusal("Invalid ParticipantId."),
            .retry(reason: "the server answered with status 500, not 200")
        ),
        (
            "withdrawFromStudy", 400, refusal("ParticipantId not included in request"),
            .refused(reason: "ParticipantId not included in request")
        ),
        ("withdrawFromStudy", 200, #"{"success":true}"#, .delivered(receipt: "200 success")),
    ])
    func onlyALeaveIsDeliveredByAKeyThatIsUnknown(
        _ action: String, _ status: Int, _ body: String, _ expected: Verdict
    ) {
        let request = WireRequest(
            method: "POST", url: "https://r.org/response-\(action).api?participantId=K", headers: [], body: [])
        #expect(MyStudiesWire().verdict(status: status, body: Array(body.utf8), to: request) == expected)
    }

    @Test func aRunThatComesTwiceIsStoredTwice() { #expect(MyStudiesWire().storesTwice) }

    private static func context(_ postURL: String, participant: String = "P") throws -> WireContext {
        let task = try MyStudiesReaderTests.activity(MyStudiesReaderTests.question("boolean", ""))
        let study = StudyProtocol(
            platform: .mystudies, studyID: "S", texts: StudyTexts(), conditions: [], tasks: [task], postURL: nil,
            writer: MyStudiesWire())
        let joined = Joined.context().enrolment
        let enrolment = Enrolment(
            id: joined.id, studyID: joined.studyID, participant: ParticipantID(participant), condition: nil,
            instant: joined.instant, local: joined.local, seed: joined.seed)
        return WireContext(study: study, enrolment: enrolment, zone: .utc, postURL: postURL)
    }

    @Test(arguments: ["https://r.org/x", "https://r.org/x/", "https://r.org/x/response-processResponse.api"])
    func aSlashBehindTheAddressIsNotDoubled(_ address: String) throws {
        let now = Instant(seconds: 1_800_000_000)
        let occurrence = Occurrence(
            id: "A/1", task: "A", taskIndex: 0, number: 1, local: Zone.utc.local(now), due: now, expires: nil)
        let submission = Submission(
            task: "A", occurrence: occurrence, order: [], answers: [:], drawn: [], submitted: now)
        let requests = MyStudiesWire().requests(for: .submitted(submission), at: now, in: try Self.context(address))
        #expect(requests.map(\.url) == ["https://r.org/x/response-processResponse.api"])
    }

    @Test(arguments: [true, false]) func theLeaveSaysWhatBecomesOfTheData(_ deletes: Bool) throws {
        let context = try Self.context("https://r.org/response-processResponse.api")
        let requests = MyStudiesWire().requests(for: .withdrawn(deletesData: deletes), at: .epoch, in: context)
        let key = context.enrolment.participant.text
        #expect(
            requests.map(\.url) == [
                "https://r.org/response-withdrawFromStudy.api?participantId=\(key)&delete=\(deletes)"
            ])
        #expect(requests.allSatisfy { $0.method == "POST" && $0.body.isEmpty })
    }

    /// Unencoded, `P&1` would withdraw the participant `P`.
    @Test(arguments: [("0aZ-_.~", "0aZ-_.~"), ("P&1", "P%261"), ("a+b#c d", "a%2Bb%23c%20d"), ("%41", "%2541")])
    func theLeaveNamesTheWholePseudonym(_ participant: String, _ sent: String) throws {
        let context = try Self.context("https://r.org/x", participant: participant)
        let requests = MyStudiesWire().requests(for: .withdrawn(deletesData: true), at: .epoch, in: context)
        #expect(
            requests.map(\.url) == ["https://r.org/x/response-withdrawFromStudy.api?participantId=\(sent)&delete=true"])
    }

    @Test(arguments: ["https://processResponse.org", "https://r.org/processResponse/x"])
    func aServerThatIsNamedAsTheActionHearsOfTheLeave(_ address: String) throws {
        let context = try Self.context(address)
        let requests = MyStudiesWire().requests(for: .withdrawn(deletesData: true), at: .epoch, in: context)
        #expect(requests.count == 1)
        #expect(requests.allSatisfy { $0.url.hasPrefix(address + "/response-withdrawFromStudy.api?") })
    }
}
