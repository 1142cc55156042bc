// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct CheckTableTests {
    private let findings = [
        CheckFinding(CheckSubject(.bus, "motion"), .ok, "opens"),
        CheckFinding(CheckSubject(.chip, "LIS3DH 0x18"), .failed, "is silent", remedy: "check its wires"),
    ]

    @Test func columnsStandUnderEachOtherAndRemediesOnTheirOwnLines() {
        #expect(
            CheckTable(findings, isColoured: false).lines == [
                "ok      bus   motion       opens",
                "failed  chip  LIS3DH 0x18  is silent",
                "                           → check its wires",
                "", "1 ok, 1 failed",
            ])
    }

    @Test func coloursAreOnlyAroundTheResult() {
        let lines = CheckTable(findings, isColoured: true).lines
        #expect(lines[0] == "\u{1B}[32mok      \u{1B}[0mbus   motion       opens")
        #expect(lines[1].hasPrefix("\u{1B}[31mfailed  \u{1B}[0mchip"))
        #expect(!CheckTable(findings, isColoured: false).lines.joined().contains("\u{1B}"))
    }
}
