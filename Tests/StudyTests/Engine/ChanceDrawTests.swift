// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// Arms that are drawn again, by the cases of `StudyTest.updateWith` for `Study.updateWith` in
/// ESMira-apps f750e58: of group 5 with 8, 3 and no groups.
@Suite struct ChanceDrawTests {
    private static func study(groups: Int, version: String = "2", redraws: Bool = true) -> StudyProtocol {
        var study = Sample.study([], conditions: (0..<groups).map { String($0 + 1) })
        study.version = version
        study.arms = ArmRules()
        study.arms?.redrawsLost = redraws
        return study
    }

    @Test func anArmThatIsStillThereStays() {
        #expect(ChanceDraw.redrawnCondition("5", of: Self.study(groups: 8), chance: Sample.chance()) == nil)
        #expect(ChanceDraw.redrawnCondition(nil, of: Self.study(groups: 3), chance: Sample.chance()) == nil)
        #expect(
            ChanceDraw.redrawnCondition("5", of: Self.study(groups: 3, redraws: false), chance: Sample.chance()) == nil)
    }

    @Test func anArmThatIsGoneIsRedrawnFromTheRemainingArms() throws {
        var seen: Set<String> = []
        for seed in UInt8(0)..<100 {
            let draw = try #require(
                ChanceDraw.redrawnCondition("5", of: Self.study(groups: 3), chance: Sample.chance(seed)))
            #expect(draw.what == "condition" && draw.probability == 1.0 / 3)
            seen.insert(draw.result)
        }
        #expect(seen == ["1", "2", "3"])
    }

    @Test func whereThereAreNoneAnyMoreThereIsNone() {
        let draw = ChanceDraw.redrawnCondition("5", of: Self.study(groups: 0), chance: Sample.chance())
        #expect(draw == ChanceDraw(what: "condition", result: "", probability: 1))
    }
}
