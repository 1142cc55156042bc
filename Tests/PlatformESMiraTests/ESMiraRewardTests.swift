// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformESMira

/// Rewards: `reward.php` and `NoRewardCodeException` of ESMira-web 3.5.1, `Study.getRewardAmount`
/// of ESMira-apps f750e58.
@Suite struct ESMiraRewardTests {
    @Test(arguments: [
        (#"{"errorCode":0,"code":"0a1b2c3d4e"}"#, RewardAnswer.code("0a1b2c3d4e")),
        (#"{"errorCode":3,"errorMessage":"x","fulfilledQuestionnaires":{"71":false,"72":true}}"#, .notYet(["71"])),
        (#"{"errorCode":3,"errorMessage":"x","fulfilledQuestionnaires":{}}"#, .notYet([])),
    ])
    func theServersAnswerIsRead(_ text: String, _ answer: RewardAnswer) throws {
        #expect(try ESMiraServer.reward(JSONNode(Array(text.utf8))) == answer)
    }

    @Test(arguments: [#"{}"#, #"{"errorCode":0}"#, #"{"errorCode":0,"code":""}"#])
    func anAnswerThatSaysNothingIsAFault(_ text: String) throws {
        #expect(throws: PlatformServerError.self) { try ESMiraServer.reward(JSONNode(Array(text.utf8))) }
    }

    @Test func theSumFollowsTheApp() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"rewardRate":1.5,"rewardMax":6,"minDataSetsForReward":3"#,
            #","enableRewardSystem":true,"enableRewardCalculation":true,"rewardCalculationBase":2,"rewardCalculationMax":7,"rewardVisibleAfterDays":4,"rewardInstructions":"<p>Send it</p>""#
        )
        let terms = try #require(study.reward)
        #expect(terms.afterDays == 4 && terms.instructions == "Send it" && terms.shares.map(\.least) == [3])
        #expect([0, 2, 3, 10].map { terms.sum(["50001": $0]) } == [2, 5, 6.5, 7])
        #expect(try ESMiraSample.study(ESMiraSample.pages).reward == nil)
    }
}
