// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// The stand-in of the registration server, asked by curl.
@Suite(.timeLimit(.minutes(10))) struct MyStudiesRegistrationTests {
    typealias Tests = MyStudiesRoutesTests

    static let accounts = """
        {"accounts":[{"userId":"U1","emailId":"Nurse@Example.org","password":"pass word"},
        {"userId":"U2","emailId":"b@example.org","password":"other","verified":false}]}
        """

    /// A receiver and the session of U1.
    struct Session: Sendable {
        let lab: Tests.Lab
        let auth: String

        func call(_ action: String, _ words: [String], user: String = "U1") async throws -> String {
            let fields = ["auth: " + auth, "userId: " + user, "applicationId: a", "orgId: o"].flatMap { ["-H", $0] }
            return try await run(
                ["curl", "-s", "-S", "-i", "--max-time", "300"] + fields + words
                    + [lab.url + "/fdahpuserregws-" + action])
        }

        func post(_ action: String, _ body: String, user: String = "U1") async throws -> String {
            try await call(action + ".api", ["-H", "Content-Type: application/json", "-d", body], user: user)
        }
    }

    static func login(_ lab: Tests.Lab, _ body: String, language: String = "en") async throws -> String {
        try await curl(
            "-H", "applicationId: a", "-H", "orgId: o", "-H", "language: " + language, "-d", body,
            lab.url + "/fdahpuserregws-login.api")
    }

    static func json(_ answer: String) throws -> JSONValue {
        try JSONReader.value(String(answer[try #require(answer.firstIndex(of: "{"))...]), depthLimit: 32)
    }

    static func withSession(
        quota: Int64 = 64 << 30, _ body: @Sendable @escaping (Session) async throws -> Void
    ) async throws {
        try await Tests.withLab(organisation: "o", files: ["accounts.json": accounts], quota: quota) { lab in
            let root = try json(try await login(lab, #"{"emailId":"nurse@example.org","password":"pass word"}"#))
            try await body(
                Session(lab: lab, auth: try #require(root["auth"]?.string)))
        }
    }

    @Test func aUserSignsIn() async throws {
        try await Tests.withLab(organisation: "o", files: ["accounts.json": Self.accounts]) { lab in
            let first = try Self.json(
                try await Self.login(lab, #"{"emailId":"NURSE@example.org","password":"pass word"}"#))
            #expect(first["message"] == .string("success") && first["userId"] == .string("U1"))
            #expect(first["verified"] == .boolean(true) && first["resetPassword"] == .boolean(false))
            #expect(first["auth"]?.string?.count == 64)
            let second = try await Self.login(lab, #"{"emailId":"b@example.org","password":"other"}"#)
            #expect(second.contains(#""verified":false"#))
            #expect(!lab.said.all.joined().contains("pass word"))
        }
    }

    @Test(arguments: [
        (#"{"emailId":"b@example.org"}"#, 400, "102", "INVALID_INPUT", "Invalid input."),
        ("no json", 400, "102", "INVALID_INPUT", "Invalid input."),
        (#"{"emailId":"b@example.org","password":"wrong"}"#, 400, "102", "INVALID_CREDENTIALS", "Invalid credentials"),
        (
            #"{"emailId":"unknown@example.org","password":"other"}"#, 400, "102", "INVALID_CREDENTIALS",
            "Invalid credentials"
        ),
    ])
    func aWrongSignInIsRefusedInHeaderFields(
        _ body: String, _ status: Int, _ code: String, _ title: String, _ message: String
    ) async throws {
        try await Tests.withLab(organisation: "o", files: ["accounts.json": Self.accounts]) { lab in
            let answer = try await Self.login(lab, body)
            for part in ["HTTP/1.1 \(status)", "status: \(code)", "title: \(title)", "StatusMessage: \(message)"] {
                #expect(answer.contains(part), "\(answer)")
            }
        }
    }

    @Test func anOldSessionIsOverAndAnotherBegins() async throws {
        try await Self.withSession { session in
            #expect(try await session.call("studyState.api", []).contains(#"{"message":"success","studies":[]}"#))
            session.lab.clock.advance(.seconds(30 * 60))
            let over = try await session.call("studyState.api", [])
            for part in ["HTTP/1.1 401", "status: 101", "title: INVALID_AUTH_CODE", "StatusMessage: Session expired."] {
                #expect(over.contains(part), "\(over)")
            }
            let fresh = try Self.json(
                try await Self.login(session.lab, #"{"emailId":"nurse@example.org","password":"pass word"}"#))
            let renewed = Session(lab: session.lab, auth: try #require(fresh["auth"]?.string))
            #expect(try await renewed.call("studyState.api", []).contains("HTTP/1.1 200"))
        }
    }

    @Test func fieldsAreCheckedBeforeTheSession() async throws {
        try await Self.withSession { session in
            let path = session.lab.url + "/fdahpuserregws-studyState.api"
            let all = ["auth: " + session.auth, "userId: U1", "applicationId: a", "orgId: o"]
            for missing in all.indices {
                let fields = all.enumerated().filter { $0.offset != missing }.flatMap { ["-H", $0.element] }
                let answer = try await run(["curl", "-s", "-i"] + fields + [path])
                #expect(answer.contains("HTTP/1.1 400") && answer.contains("status: 102"), "\(all[missing]): \(answer)")
            }
            #expect(try await session.call("studyState.api", [], user: "U9").contains("HTTP/1.1 400"))
            // Somebody else's session.
            #expect(try await session.call("studyState.api", [], user: "U2").contains("HTTP/1.1 401"))
            let stranger = Session(lab: session.lab, auth: "no")
            #expect(try await stranger.call("studyState.api", []).contains("StatusMessage: Session expired."))
        }
    }

    @Test func withoutAnOrganisationNoneIsAskedFor() async throws {
        try await Tests.withLab(files: ["accounts.json": Self.accounts]) { lab in
            let answer = try await curl(
                "-d", #"{"emailId":"b@example.org","password":"other"}"#, lab.url + "/fdahpuserregws-login.api")
            #expect(answer.contains(#""userId":"U2""#), "\(answer)")
        }
    }

    @Test(arguments: [
        ("login.api", "GET", "POST"), ("updateStudyState.api", "GET", "POST"), ("studyState.api", "POST", "GET"),
    ])
    func everyActionHasItsMethod(_ action: String, _ method: String, _ right: String) async throws {
        try await Self.withSession { session in
            let answer = try await session.call(action, ["-X", method])
            #expect(answer.contains("HTTP/1.1 405") && answer.contains("You must use the \(right) method"), "\(answer)")
        }
    }

    @Test func statesOfStudiesAreKeptAndPutTogether() async throws {
        try await Self.withSession { session in
            let first = try await session.post(
                "updateStudyState", #"{"studies":[{"studyId":"S1","status":"inProgress","participantId":"k"}]}"#)
            #expect(first.contains(#"{"message":"success"}"#))
            _ = try await session.post(
                "updateStudyState", #"{"studies":[{"studyId":"s1","completion":50,"adherence":75}]}"#)
            let state = try await session.call("studyState.api", [])
            #expect(
                state.contains(
                    #"{"studyId":"S1","status":"inProgress","enrolledDate":"2026-05-28T20:26:40.000+0000","participantId":"k","completion":50,"adherence":75}"#
                ), "\(state)")
            #expect(try await session.post("updateStudyState", "{}").contains(#"{"message":"success"}"#))
            #expect(try await session.lab.api("states").array?.count == 1)
        }
    }

    @Test func aNewConsentIsKeptWithoutItsDocument() async throws {
        try await Self.withSession { session in
            _ = try await session.post("updateStudyState", #"{"studies":[{"studyId":"S1","status":"inProgress"}]}"#)
            let consent =
                #"{"studyId":"S1","eligibility":true,"consent":{"version":"2.0","status":"Completed","pdf":"QQ=="},"sharing":""}"#
            #expect(try await session.post("updateEligibilityConsentStatus", consent).contains("success"))
            let state = try await session.lab.api("states").text
            #expect(state.contains(#""consent":{"version":"2.0","status":"Completed"},"eligibility":true"#), "\(state)")
            #expect(state.contains(#""status":"inProgress""#) && !state.contains("sharing"), "\(state)")
            for wrong in [
                "{}", #"{"studyId":"S1"}"#, #"{"studyId":"S1","consent":{"version":"","status":"Completed"}}"#,
            ] {
                let answer = try await session.post("updateEligibilityConsentStatus", wrong)
                #expect(answer.contains("StatusMessage: Invalid input."))
            }
        }
    }

    @Test func statesOfActivitiesAreKeptByIdWhateverItsCase() async throws {
        try await Self.withSession { session in
            _ = try await session.post("updateStudyState", #"{"studies":[{"studyId":"S1","status":"inProgress"}]}"#)
            let first =
                #"{"studyId":"S1","activity":[{"activityId":"Kicks","activityRunId":"1","activityState":"inProgress","activityVersion":"1.0","activityRun":{"total":9,"completed":0,"missed":1}}]}"#
            #expect(try await session.post("updateActivityState", first).contains("success"))
            let second = #"{"studyId":"s1","activity":[{"activityId":"KICKS","activityState":"completed"}]}"#
            #expect(try await session.post("updateActivityState", second).contains("success"))
            let state = try await session.lab.api("states").text
            #expect(
                state.contains(
                    #"{"activityId":"Kicks","activityVersion":"1.0","activityState":"completed","activityRunId":"1","activityRun":{"total":9,"completed":0,"missed":1}}"#
                ), "\(state)")
            for wrong in ["{}", #"{"studyId":"S1"}"#, #"{"studyId":"S1","activity":[]}"#] {
                let answer = try await session.post("updateActivityState", wrong)
                #expect(answer.contains("StatusMessage: Invalid input."))
            }
            // Joining again starts from zero.
            _ = try await session.post("updateStudyState", #"{"studies":[{"studyId":"S1","status":"inProgress"}]}"#)
            #expect(try await session.lab.api("states").array?.count == 1)
        }
    }
}
