// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct CheckFindingTests {
    private let subject = CheckSubject(.chip, "LIS3DH 0x18")

    private struct Words: Error, CustomStringConvertible { let description: String }

    @Test func anErrorIsCutIntoCauseAndRemedy() {
        let words = Words(description: "LIS3DH does not answer; check its supply; then its pins")
        let finding = CheckFinding(subject, failure: words, remedy: "unused")
        #expect(finding.result == .failed && finding.detail == "LIS3DH does not answer")
        #expect(finding.remedy == "check its supply; then its pins")
    }

    @Test func anErrorWithoutARemedyGetsOne() {
        let finding = CheckFinding(subject, failure: Words(description: "no such file"), remedy: "make it")
        #expect(finding.detail == "no such file" && finding.remedy == "make it")
    }

    @Test func whatAnOpenerSaysInGeneralGivesWayToWhatHelpsWithThisPart() {
        let error = ConfigError(
            file: "b.toml", path: "bus[0]", line: 2, message: "/dev/i2c-9 cannot be opened: no\(PartOpener.advice)")
        let finding = CheckFinding(subject, failure: error, remedy: "enable the bus")
        #expect(finding.detail == "/dev/i2c-9 cannot be opened: no" && finding.remedy == "enable the bus")
    }

    @Test func jsonHasAllFiveKeysInTheirOrder() {
        #expect(
            CheckFinding(subject, .ok, "fine").json.text
                == #"{"part":"chip","name":"LIS3DH 0x18","result":"ok","detail":"fine","remedy":null}"#)
        #expect(
            CheckFinding(subject, .failed, "\"x\"", remedy: "y").json.text
                == #"{"part":"chip","name":"LIS3DH 0x18","result":"failed","detail":"\"x\"","remedy":"y"}"#)
    }

    @Test func warningsAndSkippedPartsPass() {
        let findings = [CheckFinding(subject, .ok, ""), .init(subject, .warning, ""), .init(subject, .skipped, "")]
        #expect(findings.isPassed && findings.summary == "1 ok, 1 warning, 1 skipped")
        #expect(!(findings + [.init(subject, .failed, "")]).isPassed)
    }
}
