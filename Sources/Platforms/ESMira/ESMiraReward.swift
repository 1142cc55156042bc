// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads from a study file what a participant gets for taking part (`studyd reward`), for `ESMiraDecoder`.
enum ESMiraReward {
    /// The terms, as `Study.getRewardAmount` of the app (ESMira-apps f750e58) and
    /// `UserDataStore::generateRewardCode` of the server (ESMira-web 3.5.1) apply them; nil without
    /// `enableRewardSystem`.
    static func terms(
        _ root: JSONPlace, _ questionnaires: [JSONPlace], _ findings: inout Findings
    ) -> RewardTerms? {
        guard findings.flag("enableRewardSystem", in: root) else { return nil }
        let showsAmount = findings.flag("enableRewardCalculation", in: root)
        let amount = RewardTerms.Amount(
            base: findings.decimal("rewardCalculationBase", in: root),
            most: findings.decimal("rewardCalculationMax", in: root),
            currency: findings.plain("rewardCalculationCurrency", in: root),
            note: findings.plain("rewardCalculationInfo", in: root))
        return RewardTerms(
            afterDays: findings.number("rewardVisibleAfterDays", 0...36_500, in: root, default: 0),
            instructions: findings.plain("rewardInstructions", in: root), amount: showsAmount ? amount : nil,
            shares: questionnaires.map { place in
                RewardTerms.Share(
                    // -1: it has none.
                    task: String(findings.number("internalId", -1...Int(Int32.max), in: place, default: -1)),
                    least: findings.number("minDataSetsForReward", 0...1_000_000, in: place, default: 0),
                    rate: findings.decimal("rewardRate", in: place), most: findings.decimal("rewardMax", in: place))
            })
    }
}
