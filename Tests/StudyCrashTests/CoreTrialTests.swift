// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StudyCrash

/// What the core of the agent decides holds whenever the power fails. The short form;
/// `make core-test` crashes ten thousand times.
@Suite struct CoreTrialTests {
    @Test(arguments: ["questions", "kicks", "rules"]) func halfAYearOfCrashesLosesNoAnswerAndInventsNone(_ name: String)
        async throws
    {
        let study = try name == "kicks" ? TrialStudy.kicks() : name == "rules" ? .rules() : .questions()
        var trial = try await CoreTrial(study, days: 182, seed: 7)
        try await trial.play(crashes: 150)
        try await trial.check()
        let tally = trial.tally
        #expect(tally.crashes >= 120 && tally.crashesWithRowsOnTheirWay > 0, "\(tally.words)")
        #expect(tally.submissions > 20 && tally.delayedCommits > 0 && tally.versions > 0, "\(tally.words)")
        #expect(name != "questions" || tally.spoken > 0 && tally.settled > 0, "\(tally.words)")
        #expect(
            name != "rules" || tally.draws > 200 && tally.missedPoints > 20 && tally.journeys > 0, "\(tally.words)")
        #expect(name != "kicks" || tally.filesOfTasks > 0 && tally.resumptions > 0, "\(tally.words)")
    }

    /// That it can fail.
    @Test(arguments: CoreTrial.Sabotage.allCases) func sabotageIsFound(_ sabotage: CoreTrial.Sabotage) async throws {
        var found: CoreTrial.Broken?
        for seed in 1...2 where found == nil {
            let studies = sabotage.isOfRules ? [try TrialStudy.rules()] : [try .questions(), try .kicks()]
            for study in studies where found == nil {
                do {
                    var trial = try await CoreTrial(study, days: 182, seed: UInt64(seed), sabotage: sabotage)
                    try await trial.play(crashes: 300)
                    try await trial.check()
                } catch let error as CoreTrial.Broken {
                    found = error
                    print("\(sabotage.rawValue): \(study.name), life \(seed): \(error)")
                }
            }
        }
        #expect(found != nil, "it goes unnoticed")
    }
}
