// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformSage

/// How much of a task is read: the last that is, and the first that is not.
@Suite struct SageLimitsTests {
    private static func instruction(_ name: String) -> String {
        #"{"type":"instruction","identifier":"\#(name)","title":"t"}"#
    }

    @Test(arguments: [(2000, false), (2001, true)]) func aTaskHasTwoThousandSteps(_ count: Int, _ refused: Bool) {
        let steps = (0..<count).map { Self.instruction("s\($0)") }.joined(separator: ",")
        #expect(
            SageSample.problems(SageSample.task(steps)).map(\.expected) == (refused ? ["at most 2000 steps"] : []))
    }

    @Test(arguments: [(12, false), (13, true)]) func sectionsLieTwelveDeep(_ depth: Int, _ refused: Bool) {
        let steps = (0..<depth).reduce(Self.instruction("i")) { inner, level in
            #"{"type":"section","identifier":"s\#(level)","steps":[\#(inner)]}"#
        }
        let said = SageSample.problems(SageSample.task(steps)).map(\.expected)
        #expect(said.contains("at most 12 nested sections") == refused && said.isEmpty == !refused, "\(said)")
    }

    /// Files that name each other ten times over, in a circle or in a row, would be ten million million steps.
    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func filesThatMultiplyAreNotReadForEver(_ isCircle: Bool) {
        var files = ["t.json": SageSample.task(#"{"type":"transform","identifier":"a","resourceName":"f0"}"#)]
        for number in 0..<13 {
            let next = isCircle ? 0 : number + 1
            let steps = (0..<10).map { #"{"type":"transform","identifier":"s\#($0)","resourceName":"f\#(next)"}"# }
            files["f\(number).json"] =
                #"{"type":"section","identifier":"f","steps":[\#(steps.joined(separator: ","))]}"#
        }
        files["study.json"] = #"{"identifier":"S","task":[{"file":"t.json"}]}"#
        #expect(throws: StudyFormatError.self) { try SageSample.study(files) }
    }
}
