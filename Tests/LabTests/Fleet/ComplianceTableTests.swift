// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct ComplianceTableTests {
    private func html(_ days: [PromptDay]) -> String {
        ComplianceTable(user: "P1", days: days, query: LabQuery()).html.text
    }

    @Test func withoutPromptsThereIsNoSection() { #expect(html([]).isEmpty) }

    /// The latest day first; prompts that were never asked have a column where there are any.
    @Test(arguments: [0, 1]) func eachDayIsARowWithItsEndings(notAsked: Int) throws {
        let (first, second) = (try LocalDate(parsing: "2026-11-21"), try LocalDate(parsing: "2026-11-22"))
        let text = html([
            PromptDay(day: first, answered: 1, late: 1, unanswered: ["expired": 3]),
            PromptDay(day: second, answered: 2, unanswered: ["missed/device-off": 1], notAsked: notAsked),
        ])
        #expect(text.contains("3 of 7 answered (43 %), 1 late"), "\(text)")
        #expect(text.contains("class=\"n\">never asked") == (notAsked > 0))
        let rows = text.split(separator: "<tr><th scope=\"row\">").dropFirst().map(String.init)
        try #require(rows.count == 2)
        for (row, cells) in zip(
            rows,
            [
                ["2026-11-22", "data-name=\"over\">3", "data-name=\"answered\">2 (67 %)", "data-name=\"late\">0"],
                ["2026-11-21", "data-name=\"over\">4", "data-name=\"answered\">1 (25 %)", "data-name=\"late\">1"],
            ])
        {
            for cell in cells { #expect(row.contains(cell), "\(cell): \(row)") }
            #expect(row.contains("data-name=\"never asked\"") == (notAsked > 0))
        }
    }
}
