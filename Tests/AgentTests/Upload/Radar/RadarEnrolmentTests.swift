// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

/// Tokens, sources and participants, against a platform that gives and refuses as ManagementPortal's source does.
@Suite(.serialized, .enabled(if: RadarPlatform.isThere), .timeLimit(.minutes(10))) struct RadarEnrolmentTests {
    private static func refresh(_ subject: String = "sub-1") -> String {
        let claims = Data("{\"sub\":\"\(subject)\",\"exp\":4102444800,\"refresh\":true}".utf8).base64EncodedString()
        return "h.\(claims.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")).s"
    }

    @Test(arguments: ["token", "typed", "json", "portal"]) func eachFormOfTheCodePairs(form: String) throws {
        let platform = try RadarPlatform()
        let host = platform.server.url("").replacing("http://", with: "")
        let code =
            switch form {
            case "token": platform.server.url("/managementportal/api/meta-token/\(RadarPlatform.token)")
            case "typed": "\(host) \(RadarPlatform.token)\n"
            case "json": "{\"refreshToken\": \"\(Self.refresh())\"}"
            default:
                "org.radarbase.prmt://login?data=%7B%22refresh_token%22%3A%22\(Self.refresh())%22%7D&referrer=http%3A%2F%2F\(host)%2Fx"
            }
        try platform.write(code: code)
        let step = try platform.send(RadarPlatform.answer())
        #expect(step.receipt == "questionnaire_response key_schema_id 1, value_schema_id 2", "\(step)")
        let portal = form == "portal" ? "/hydra/oauth2/token" : "/managementportal/oauth/token"
        let first = ["token", "typed"].contains(form) ? ["GET /managementportal/api/meta-token/AbCd.12-"] : []
        // The token is renewed after the source was registered, and the registry hears none.
        #expect(
            try platform.requests() == first + [
                "POST \(portal) token", "GET /managementportal/api/subjects/sub-1 token",
                "POST /managementportal/api/subjects/sub-1/sources token", "POST \(portal) token",
                "GET /schema/subjects/questionnaire_response-key/versions/latest",
                "GET /schema/subjects/questionnaire_response-value/versions/latest",
                "POST /kafka/topics/questionnaire_response token",
            ])
    }

    @Test func aRestartNeedsNeitherCodeNorSourceAgain() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        let before = try platform.requests().count
        try platform.restart()
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
        #expect(
            try platform.requests().dropFirst(before).filter { !$0.contains("/schema/") } == [
                "POST /kafka/topics/questionnaire_response token"
            ])
        var status = stat()
        #expect(stat(platform.folder + "/destinations/radar.json", &status) == 0 && status.st_mode & 0o077 == 0)
    }

    /// RADAR-Questionnaire#197: tokens do not name a source that came after them.
    @Test func aDeviceThatIsPairedAgainHasItsSourceStill() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        try FileManager.default.removeItem(atPath: platform.folder + "/destinations")
        try platform.set("{\"metas\":{\"again\":\"sub-1\"}}")
        try platform.write(code: "again")
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
        #expect(try platform.keys("questionnaire_response").count == 1)
    }

    @Test func aLostAnswerUsesTheCodeUpAndSaysSo() throws {
        let platform = try RadarPlatform()
        try platform.set("{\"lost\":\"meta-token\"}")
        // libcurl asks again by itself on a connection that was used before.
        _ = try? platform.send(RadarPlatform.answer())
        let block = try platform.send(RadarPlatform.answer()).block
        #expect(
            block?.contains("was used before, or is too old; make a new one there") == true,
            "\(String(describing: block))")
        try platform.set("{\"metas\":{\"second\":\"sub-1\"}}")
        try platform.write(code: "second")
        #expect(try platform.send(RadarPlatform.answer()).receipt != nil)
    }

    @Test(arguments: [
        ("never", "{}", "does not know the code"), ("other.example AbCd", "{}", "is of other.example"),
        ("{}", "{}", "has no 'refreshToken'"), ("AbCd.12-", "{\"client\":\"x\"}", "client 'studyd' was refused"),
        ("AbCd.12-", "{\"dynamic\":false}", "set source_id"),
        ("AbCd.12-", "{\"status\":\"DEACTIVATED\"}", "is not active"),
        ("AbCd.12-", "{\"inactive\":true}", "is not active"), ("AbCd.12-", "{\"end\":true}", "the pairing is over"),
    ]) func whatCannotBePairedSaysWhatToDo(_ code: String, _ control: String, _ words: String) throws {
        let platform = try RadarPlatform(code)
        try platform.set(control)
        let step = try platform.send(RadarPlatform.answer())
        #expect(step.block?.contains(words) == true, "\(step)")
        #expect(try platform.records("questionnaire_response").isEmpty)
    }

    @Test func aCodeThatOthersCanReadIsNotUsed() throws {
        let platform = try RadarPlatform()
        chmod(platform.folder + "/code", 0o644)
        #expect(try platform.send(RadarPlatform.answer()).block?.contains("chmod 600") == true)
    }

    /// 403 is the participant's withdrawal (INACTIVE_PARTICIPANT); what is not sent stays.
    @Test func aWithdrawalIsNamedAndItsEndToo() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        try platform.set("{\"inactive\":true,\"revoke\":true}")
        for _ in 0..<2 {
            guard case .blocked(let words, let wait) = try platform.send(RadarPlatform.answer(run: 2)) else {
                Issue.record("it was sent")
                return
            }
            #expect(words.cause.contains("sub-1 is not active") && words.cause.contains("everything is kept"))
            #expect(wait == .seconds(3600))
        }
        try platform.set("{\"inactive\":false,\"revoke\":true}")
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
    }

    /// RADAR-base/ManagementPortal a1f5ee2, DomainUserDetailsService.kt:28, by Spring's
    /// DefaultWebResponseExceptionTranslator: whose study was ended there gets no new token, and the gateway takes the
    /// last one while that is good.
    @Test func aParticipantWhoseStudyWasEndedThereGetsNoToken() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        try platform.set("{\"status\":\"DISCONTINUED\",\"revoke\":true}")
        guard case .blocked(let words, let wait) = try platform.send(RadarPlatform.answer(run: 2)) else {
            Issue.record("it was sent")
            return
        }
        #expect(words.cause.contains("sub-1 is not active") && wait == .seconds(3600), "\(words)")
        try platform.set("{\"status\":\"ACTIVATED\"}")
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
    }

    /// Somebody took the source away; without a new one nothing would ever be taken.
    @Test func aSourceThatIsGoneIsRegisteredAgain() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        try platform.set("{\"clear\":true,\"revoke\":true}")
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
        #expect(try platform.keys("questionnaire_response").count == 2)
    }

    @Test func aTokenThatIsTooOldIsRenewedOnce() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        try platform.set("{\"revoke\":true}")
        let before = try platform.requests().count
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
        #expect(try platform.requests().dropFirst(before).filter { $0.contains("/oauth/token") }.count == 1)
    }

    /// Ory Hydra takes each refresh token once: the new one has to be on the disk before it is used.
    @Test func tokensThatAreGoodOnceOutliveEveryRestart() throws {
        let platform = try RadarPlatform()
        try platform.set("{\"rotate\":true,\"life\":60}")
        let host = platform.server.url("").replacing("http://", with: "")
        try platform.write(
            code: "x://login?data=%7B%22refresh_token%22%3A%22\(Self.refresh())%22%7D&referrer=http%3A%2F%2F\(host)%2Fx"
        )
        for run in 1...4 {
            try platform.restart()
            var job = platform.job(
                try RadarPlatform.answer(run: run), now: RadarPlatform.now + .seconds(run * 40))
            #expect(try platform.send(&job).receipt != nil, "\(run)")
        }
    }

    /// 92 days without a network: everything waits, a new code for the same participant brings it there.
    @Test func afterThePairingANewCodeOfTheSameParticipantIsNeeded() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        try platform.set("{\"end\":true,\"revoke\":true}")
        let over = try platform.send(RadarPlatform.answer(run: 2)).block
        #expect(over?.contains("the pairing is over") == true && over?.contains("make a new code") == true)
        // The backend is not asked with a token that it has refused.
        let before = try platform.requests().count
        #expect(try platform.send(RadarPlatform.answer(run: 2)).block?.contains("the pairing is over") == true)
        #expect(try !platform.requests().dropFirst(before).contains { $0.contains("/kafka/") })
        try platform.set("{\"end\":false,\"metas\":{\"new\":\"sub-1\"}}")
        // The old refresh token would be taken again, as ManagementPortal keeps none; a server with Hydra would not.
        try platform.write(code: "new")
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
        #expect(try platform.keys("questionnaire_response").count == 1)
    }

    @Test func nobodysAnswersGoUnderAnothersName() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        // The next participant enrols, and their code was not written.
        let old = try platform.send(RadarPlatform.answer(), of: "e2").block
        #expect(old?.contains("still has the code of an earlier enrolment") == true, "\(String(describing: old))")
        try platform.write(code: "Other.12")
        #expect(try platform.send(RadarPlatform.answer(), of: "e2").receipt != nil)
        // What was left of the first one goes under the first one's name.
        #expect(try platform.send(RadarPlatform.answer(run: 2), of: "e1").receipt != nil)
        let keys = try platform.keys("questionnaire_response")
        #expect(keys.filter { $0.contains("sub-1") }.count == 1 && keys.filter { $0.contains("sub-2") }.count == 1)
        // Once the first pairing is over, a code of the second participant's is none for it.
        try platform.set("{\"end\":true,\"revoke\":true}")
        #expect(
            try platform.send(RadarPlatform.answer(run: 3), of: "e1").block?.contains("the pairing is over") == true)
        #expect(try platform.records("questionnaire_response").count == 3)
    }

    /// The next person's answers are sent for no participant before their code was written.
    @Test func aHandOverKeepsNoTokenAndTakesNoOldCode() throws {
        let platform = try RadarPlatform("{\"refreshToken\":\"\(Self.refresh())\"}")
        _ = try platform.send(RadarPlatform.answer())
        let file = platform.folder + "/destinations/radar.json"
        #expect(try BoundedFile.text(file).contains("sub-1"))
        try RadarPairings.retire(in: platform.folder + "/destinations")
        let left = try BoundedFile.text(file)
        #expect(!left.contains("sub-1") && !left.contains("h.") && !left.contains("\"e1\""), "\(left)")
        try platform.restart()
        let block = try platform.send(RadarPlatform.answer(), of: "e2").block
        #expect(block?.contains("still has the code of an earlier enrolment") == true, "\(String(describing: block))")
        #expect(try platform.records("questionnaire_response").count == 1)
    }

    @Test func aDamagedFileOfTokensSaysWhatToDo() throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        let file = platform.folder + "/destinations/radar.json"
        try AtomicFile.write(Array(try BoundedFile.text(file).utf8.dropLast(9)), to: file, mode: 0o600)
        let error = #expect(throws: FileError.self) { try platform.send(RadarPlatform.answer(run: 2)) }
        #expect(error?.description.contains("is damaged; remove it") == true, "\(String(describing: error))")
    }

    @Test(arguments: [-63_072_000, 63_072_000]) func aClockThatIsYearsOffCostsATokenAndNoAnswer(seconds: Int) throws {
        let platform = try RadarPlatform()
        var job = platform.job(try RadarPlatform.answer(), now: RadarPlatform.now + .seconds(seconds))
        #expect(try platform.send(&job).receipt != nil)
        // It was put right meanwhile.
        #expect(try platform.send(RadarPlatform.answer(run: 2)).receipt != nil)
        job = platform.job(try RadarPlatform.answer(run: 3), now: RadarPlatform.now - .seconds(seconds))
        #expect(try platform.send(&job).receipt != nil)
    }

    @Test func aSourceMadeByHandIsUsedAsItIs() throws {
        let platform = try RadarPlatform(nil, ["source_id": "by-hand", "source_producer": ""])
        // The stand-in's tokens do not name it: an assistant forgot to assign it.
        let block = try platform.send(RadarPlatform.answer()).block
        #expect(block?.contains("403 permission_mismatch") == true && block?.contains("assign the source") == true)
        #expect(try platform.requests().allSatisfy { !$0.hasPrefix("POST /managementportal/api") })
    }

    @Test func theCheckSaysWhoseDataGoWhereAndSinceWhen() throws {
        let platform = try RadarPlatform(nil, ["features_topic": ""])
        let before = try platform.destination.inspect(by: platform.client, at: RadarPlatform.now)
        #expect(
            before?.contains("3 topics there; not paired yet, by the token of ManagementPortal in") == true,
            "\(String(describing: before))")
        #expect(try platform.requests().allSatisfy { $0.hasPrefix("GET /schema/") }, "a check uses no code up")
        _ = try platform.send(RadarPlatform.answer())
        let after = try platform.destination.inspect(by: platform.client, at: RadarPlatform.now)
        #expect(after?.contains("paired until") == true && after?.contains(" as sub-1, radar, ") == true)
        #expect(platform.destination.warning(at: RadarPlatform.now + .seconds(77 * 86_400)) == nil)
        let warning = platform.destination.warning(at: RadarPlatform.now + .seconds(79 * 86_400))
        #expect(warning?.cause.contains("unless the device sends before") == true)
        try platform.set("{\"drop\":[\"android_phone_magnetic_field\"]}")
        let fault = #expect(throws: RadarStop.self) {
            try platform.destination.inspect(by: platform.client, at: RadarPlatform.now)
        }
        #expect(fault?.description.contains("no topic 'android_phone_magnetic_field'") == true)
    }
}
