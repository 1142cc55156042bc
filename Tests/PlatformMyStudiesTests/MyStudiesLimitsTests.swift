// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformMyStudies

/// How much of a study is read: the last that is, and the first that is not.
@Suite struct MyStudiesLimitsTests {
    private static func expected(_ body: () throws -> StudyProtocol) -> [String] {
        do {
            _ = try body()
            return []
        } catch let error as StudyFormatError { return error.problems.map(\.expected) } catch { return ["\(error)"] }
    }

    @Test(arguments: [(2000, false), (2001, true)]) func anActivityHasTwoThousandSteps(_ count: Int, _ refused: Bool) {
        let steps = (0..<count).map { #"{"type":"instruction","resultType":"","key":"k\#($0)","title":"t"}"# }
        let said = Self.expected {
            try MyStudiesReader().decode(
                StudySource(Array(MyStudiesBadInputTests.file("A", "1", steps.joined(separator: ",")).utf8)))
        }
        #expect(said == (refused ? ["at most 2000 steps"] : []))
    }

    @Test(arguments: [(1000, false), (1001, true)]) func aStudyHasAThousandActivities(_ count: Int, _ refused: Bool) {
        let list = (0..<count).map { MyStudiesBadInputTests.listed("A\($0)", "1.0") }.joined(separator: ",")
        let said = Self.expected { try MyStudiesReader().decode(MyStudiesBadInputTests.folder(list: list)) }
        #expect(said.contains("at most 1000 activities") == refused)
    }

    @Test func fiveHundredResourcesAreReadAndOfATextTwentyThousandCharacters() throws {
        let text = String(repeating: "x", count: 20_001)
        let all = [text] + (1..<501).map { "r\($0)" }
        let json = all.map { #"{"title":"\#($0)"}"# }.joined(separator: ",")
        let resources = try MyStudiesTextsTests.study(["resources.json": #"{"resources":[\#(json)]}"#]).resources
        #expect(resources.count == 500 && resources.last?.title == "r499")
        #expect(resources.first?.title == String(text.dropLast()))
    }
}
