// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Agent

@Suite struct WithdrawalRuleTests {
    @Test(arguments: [
        (WithdrawalRule.keepsData, Bool?.none, Bool?.some(false)), (.deletesData, nil, true),
        (.keepsData, false, false),
        (.keepsData, true, nil), (.deletesData, false, nil), (.asks("?"), nil, nil), (.asks("?"), true, true),
        (.asks("?"), false, false),
    ])
    func theParticipantDecidesOnlyWhereTheStudyAsks(_ rule: WithdrawalRule, _ word: Bool?, _ expected: Bool?) {
        #expect((try? rule.decision(word)) == expected)
    }
}
