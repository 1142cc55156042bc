// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import Testing

@testable import PlatformMyStudies

/// What the response server says when a token is used: `resolveEnrollmentToken`, `validateEnrollmentToken` and
/// `enroll` of LabKey/mobileAppStudy e740c284 (`MobileAppStudyController.java`).
@Suite struct MyStudiesEnrolmentTests {
    /// Says the same to everything.
    private final class Server: PlatformDevice {
        private let answer: ServerAnswer
        private let requests = Mutex<[String]>([])
        var asked: [String] { requests.withLock { $0 } }

        init(_ status: Int, _ body: String) { answer = ServerAnswer(status: status, body: Array(body.utf8)) }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            requests.withLock { $0.append("\(request.method) \(request.url)") }
            return answer
        }

        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "" }

        func own() -> MyStudiesServer { MyStudiesServer(MyStudiesSettings(response: "https://r.example"), over: self) }
    }

    private static let faults: [(Int, String, String?)] = [
        (200, "<html>", "the server answered with status 200"), (500, "", "the server answered with status 500"),
        (400, #"{"exception":"Token already in use"}"#, "Token already in use"),
        (404, #"{"message":"no such study"}"#, "no such study"),
    ]

    private static let keys: [(Int, String, String?)] = [
        (200, #"{"success":true,"data":{"appToken":"K"}}"#, nil),
        (200, #"{"success":true,"data":{"appToken":""}}"#, "returned no key"),
        (200, #"{"success":true,"data":{}}"#, "returned no key"), (200, "{}", "returned no key"),
    ]

    private static let studies: [(Int, String, String?)] = [
        (200, #"{"studyId":"S"}"#, nil), (200, #"{"studyId":""}"#, "names no study"), (200, "{}", "names no study"),
    ]

    @Test(arguments: keys + faults) func aTokenIsUsedOnceAndGivesAKey(_ status: Int, _ body: String, _ says: String?)
        throws
    {
        let server = Server(status, body)
        let token = try #require(EnrolmentToken("ABCDEFGHI"))
        if let says {
            let error = #expect(throws: PlatformServerError.self) {
                try server.own().enroll(token, study: "S", sharing: "NA")
            }
            let said = "\(try #require(error))"
            #expect(said.contains(says), "\(said)")
        } else {
            #expect(try server.own().enroll(token, study: "S", sharing: "NA") == "K")
        }
        #expect(
            server.asked == [
                "POST https://r.example/response-enroll.api?allowDataSharing=NA&studyId=S&token=ABCDEFGHI"
            ])
    }

    @Test(arguments: studies + faults) func aTokenNamesItsStudy(_ status: Int, _ body: String, _ says: String?) throws {
        let server = Server(status, body)
        let token = try #require(EnrolmentToken("ABCDEFGHI"))
        if let says {
            let error = #expect(throws: PlatformServerError.self) { try server.own().study(of: token) }
            let said = "\(try #require(error))"
            #expect(said.contains(says), "\(said)")
        } else {
            #expect(try server.own().study(of: token) == "S")
        }
    }

    /// The document of the API puts them into `data`, the server beside it.
    @Test(
        arguments: [
            (
                #"{"preEnrollmentParticipantProperties":[{"propertyId":"a","value":"1"},{"propertyId":"b"}]}"#,
                ["a": "1"]
            ),
            (#"{"data":{"preEnrollmentParticipantProperties":[{"propertyId":"a","value":"1"}]}}"#, ["a": "1"]),
            (#"{"preEnrollmentParticipantProperties":[]}"#, [:]), ("{}", [:]),
        ] as [(String, [String: String])])
    func whatIsKnownBeforehandIsTaken(_ body: String, _ known: [String: String]) throws {
        let token = try #require(EnrolmentToken("ABCDEFGHI"))
        #expect(try Server(200, body).own().validate(token, study: "S") == known)
    }

    /// At the lab's receiver, which plays a study with tokens or without.
    @Test(arguments: [("ABCDEFGHI", "&token=ABCDEFGHI"), (nil, "")] as [(String?, String)])
    func aRehearsalEnrolsWithTheTokenItIsGiven(_ token: String?, _ parameter: String) throws {
        let server = Server(200, #"{"success":true,"data":{"appToken":"K"}}"#)
        let study = StudyProtocol(
            platform: .mystudies, studyID: "S", texts: StudyTexts(), conditions: [], tasks: [], postURL: nil,
            writer: MyStudiesWire())
        let plan = MyStudiesPlatform().rehearsal(of: study, at: "https://r.example", token: token, over: server)
        #expect(try plan.join?() == "K")
        #expect(
            server.asked == [
                "POST https://r.example/mystudies/response-enroll.api?allowDataSharing=NA&studyId=S" + parameter
            ])
    }
}
