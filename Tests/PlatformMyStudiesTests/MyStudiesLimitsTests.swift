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

    @Test(arguments: [(-36_501, true), (-36_500, false), (36_500, false), (36_501, true)])
    func aResourceIsShownWithinACenturyOfItsAnchor(_ days: Int, _ refused: Bool) {
        for end in ["startDays", "endDays"] {
            let window = #"{"availabilityType":"AnchorDate","sourceType":"EnrollmentDate","\#(end)":\#(days)}"#
            let said = Self.expected {
                try MyStudiesTextsTests.study([
                    "resources.json": #"{"resources":[{"title":"t","availability":\#(window)}]}"#
                ])
            }
            #expect(said.count == (refused ? 1 : 0), "\(end): \(said)")
        }
    }

    /// Who consents must know all of it: styles and tags do not count, and a cut is said. The text is the HTML that
    /// the study builder's editor makes of a paragraph.
    @Test(arguments: [(1, false), (300, false), (3_999, false), (4_000, true)])
    func aConsentIsWholeOrARemarkSaysThatItIsNot(_ count: Int, _ isCut: Bool) throws {
        let paragraph = #"<p style=\"text-align:justify;font-family:serif\">"# + String(repeating: "word ", count: 10)
        let html = String(repeating: paragraph + "</p>", count: count - 1) + paragraph + "end</p>"
        let study = try MyStudiesTextsTests.study([
            "consentDocument.json": #"{"consent":{"version":"1.0","type":"text/html","content":"\#(html)"}}"#
        ])
        #expect(study.texts.consent.hasSuffix("word end") == !isCut)
        #expect(study.texts.consent.utf8.count >= min(50 * count, 200_000) - 1)
        let remarks = study.remarks.filter { $0.message.contains("characters are kept") }
        #expect(remarks.map(\.path) == (isCut ? ["consentDocument.json:$.consent.content"] : []), "\(study.remarks)")
    }
}
