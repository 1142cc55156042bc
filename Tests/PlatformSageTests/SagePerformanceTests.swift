// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformSage

/// Steps that are performed: BiAffect's go/no-go, and ResearchKit's tasks by the names of its
/// steps' properties.
@Suite struct SagePerformanceTests {
    private static func rules(_ step: String) throws -> any ActiveTaskRules {
        let study = try SageSample.study(["t.json": SageSample.task(step)])
        guard case .active(let task)? = study.tasks[0].content.steps.first?.format else { throw Missing() }
        return task.rules
    }

    struct Missing: Error {}

    /// The step of BiAffect's `Go-No-Go.json` names only the number of attempts; the rest are the
    /// defaults of `GoNoGoStepObject.swift` (BiAffectSDK f78dd2f6).
    @Test func whatBiAffectLeavesOutIsAsInItsApp() throws {
        let step = #"{"identifier":"gonogo","type":"gonogo","detail":"Press.","numberOfAttempts":9}"#
        let rules = try #require(try Self.rules(step) as? GoNoGoRules)
        #expect(rules.terms.minimumStimulusInterval == .seconds(4))
        #expect(rules.terms.maximumStimulusInterval == .seconds(10) && rules.terms.timeout == .seconds(3))
        #expect(rules.terms.numberOfAttempts == 9 && rules.terms.maxTotalAttempts == 18)
    }

    /// BiAffect's app refuses none: it ends with as many responses as `maxTotalAttempts`, by default 18
    /// (BiAffectSDK f78dd2f6, `GoNoGoStepView.swift` 304, `GoNoGoStepObject.swift` 53).
    @Test(arguments: [
        (#""numberOfAttempts":18"#, 18, 18), (#""numberOfAttempts":20"#, 20, 18), (#""maxTotalAttempts":8"#, 9, 8),
        (#""maxTotalAttempts":9"#, 9, 9), (#""numberOfAttempts":20,"maxTotalAttempts":20"#, 20, 20),
    ])
    func fewerAttemptsThanHaveToSucceedAreAWarning(members: String, goal: Int, most: Int) throws {
        let step = #"{"type":"gonogo","identifier":"a",\#(members)}"#
        let terms = try #require(try Self.rules(step) as? GoNoGoRules).terms
        #expect(terms.numberOfAttempts == goal && terms.maxTotalAttempts == most)
        let study = try SageSample.study(["t.json": SageSample.task(step)])
        let paths = study.remarks.filter { $0.kind == .warning }.map(\.path)
        #expect(paths == (most < goal ? ["$.steps[0].maxTotalAttempts"] : []))
    }

    /// Property names of `ResearchKitTests/samples.bundle/ORKReactionTimeStep.json` and
    /// `ORKTimedWalkStep.json` (ResearchKit daba8c9f).
    @Test func researchKitsPropertiesAreRead() throws {
        let reaction = try Self.rules(
            #"{"type":"reactionTime","identifier":"r","minimumStimulusInterval":0.5,"maximumStimulusInterval":1.25,"timeout":2,"numberOfAttempts":7,"thresholdAcceleration":0.5}"#
        )
        #expect(
            reaction as? ReactionTimeRules
                == ReactionTimeRules(
                    ReactionTerms(
                        minimumStimulusInterval: .milliseconds(500), maximumStimulusInterval: .milliseconds(1_250),
                        timeout: .seconds(2), numberOfAttempts: 7)))
        let walk = try Self.rules(#"{"type":"timedWalk","identifier":"w","distanceInMeters":7.62,"stepDuration":180}"#)
        #expect(walk as? TimedWalkRules == TimedWalkRules(distanceInMeters: 7.62, timeLimit: .seconds(180)))
        let psat = try Self.rules(#"{"type":"psat","identifier":"p","interStimulusInterval":2,"seriesLength":30}"#)
        #expect(psat as? PSATRules == PSATRules(interStimulusInterval: .seconds(2), seriesLength: 30))
    }

    @Test(arguments: [
        (#"{"type":"audioLevel","identifier":"a","duration":0}"#, "$.steps[0].duration"),
        (#"{"type":"gonogo","identifier":"a","numberOfAttempts":0}"#, "$.steps[0].numberOfAttempts"),
        (#"{"type":"gonogo","identifier":"a","maxTotalAttempts":0}"#, "$.steps[0].maxTotalAttempts"),
        (#"{"type":"reactionTime","identifier":"a","minimumStimulusInterval":0}"#, "$.steps[0]"),
        (#"{"type":"reactionTime","identifier":"a","timeout":"soon"}"#, "$.steps[0].timeout"),
        (#"{"type":"psat","identifier":"a","presentationMode":2}"#, "$.steps[0].presentationMode"),
        (#"{"type":"psat","identifier":"a","interStimulusInterval":6}"#, "$.steps[0]"),
        (#"{"type":"timedWalk","identifier":"a","stepDuration":60}"#, "$.steps[0].distanceInMeters"),
        (#"{"type":"timedWalk","identifier":"a","distanceInMeters":10}"#, "$.steps[0].stepDuration"),
        (#"{"type":"timedWalk","identifier":"a","distanceInMeters":1e300,"stepDuration":60}"#, "$.steps[0]"),
    ])
    func whatIsWrongIsNamedByItsPath(step: String, path: String) {
        #expect(SageSample.problems(SageSample.task(step)).map(\.path) == [path])
    }

    @Test func theFirstGoNoGoHasTheNameAloneAndOthersANumber() {
        #expect((0..<3).map(SageResults.goNoGoName) == ["gonogo.json", "gonogo_2.json", "gonogo_3.json"])
    }

    /// `required` and `properties` of `Response` in BiAffect's
    /// `json/schemas/v1/GoNoGoResultObject.json` (BiAffectSDK f78dd2f6), which allows no others.
    @Test func goNoGoIsSentAsBiAffectPublishes() throws {
        let study = try SageSample.study(["t.json": SageSample.task(#"{"type":"gonogo","identifier":"test"}"#)])
        let record = GoNoGoRecord(
            attempts: [
                .init(
                    outcome: .falseStart, go: true, reset: .seconds(100), stimulus: nil, delay: .milliseconds(4_500),
                    response: nil, uncertainty: .zero),
                .init(
                    outcome: .falseAlarm, go: false, reset: .seconds(110), stimulus: .seconds(115),
                    delay: .milliseconds(4_999), response: .milliseconds(310), uncertainty: .microseconds(20)),
                .init(
                    outcome: .reacted, go: true, reset: .seconds(120), stimulus: .seconds(125), delay: .seconds(5),
                    response: .milliseconds(280), uncertainty: .microseconds(20)),
            ], void: 1)
        let submission = SageSample.submission(study.tasks[0], ["test": .performance(Performance(record))])
        let own = try SageSample.source(of: study)
        let results = SageResults(submission, of: study.tasks[0], own, runUUID: "U", zone: .utc)
        let sent = try #require(results.goNoGos.first)
        #expect(sent.identifier == "test" && results.goNoGos.count == 1)
        let root = JSONPlace(root: try JSONNode(Array(sent.json.text.utf8)))
        #expect(root.member("type")?.text == "gonogo" && root.member("startUptime")?.number == 100)
        let responses = try #require(root.member("results")?.elements)
        let published: Set = [
            "timestamp", "resetTimestamp", "timeToThreshold", "stimulusDelay", "go", "incorrect", "samples",
        ]
        for response in responses {
            guard case .object(let members) = response.node.content else { throw Missing() }
            #expect(Set(members.map(\.key)).isSubset(of: published))
            #expect(published.subtracting(["samples"]).isSubset(of: members.map(\.key)))
        }
        // "A false start … is indicated by a value of zero"; "for a timeout or false start, this
        // value will be zero".
        #expect(responses.map { $0.member("timestamp")?.number } == [0, 115, 125])
        #expect(responses.map { $0.member("timeToThreshold")?.number } == [0, 0, 0.28])
        #expect(responses.map { $0.member("incorrect")?.boolean } == [true, true, false])
        let tree = JSONPlace(root: try JSONNode(Array(results.json.text.utf8)))
        let answer = try #require(tree.member("stepHistory")?.elements?.first)
        #expect(answer.member("type")?.text == "answer")
        #expect(answer.member("answerType")?.member("type")?.text == "object")
        let measured = answer.member("value")?.member("results")?.elements?[1]
        #expect(measured?.member("outcome")?.text == "falseAlarm" && measured?.member("response")?.number == 0.31)
    }
}
