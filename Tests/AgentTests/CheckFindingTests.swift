// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct CheckFindingTests {
    private let subject = CheckSubject(.chip, "LIS3DH 0x18")

    private struct Words: Error, CustomStringConvertible { let description: String }
    private struct Explained: ExplainedError { let explanation: Explanation }

    @Test func causeAndRemedyAreTheErrorsOwnAndNothingIsCutAtASemicolon() {
        let parts = Explanation(
            place: "bus; old", cause: "LIS3DH does not answer", remedy: "check its supply; then its pins")
        let finding = CheckFinding(subject, failure: Explained(explanation: parts), remedy: "unused")
        #expect(finding.result == .failed && finding.detail == "bus; old: LIS3DH does not answer")
        #expect(finding.remedy == "check its supply; then its pins")
        let words = Words(description: "the kernel says: a; b")
        let plain = CheckFinding(subject, failure: words, remedy: "see `dmesg`")
        #expect(plain.detail == words.description && plain.remedy == "see `dmesg`")
    }

    @Test func anErrorWithoutARemedyGetsOne() {
        let finding = CheckFinding(subject, failure: Words(description: "no such file"), remedy: "make it")
        #expect(finding.detail == "no such file" && finding.remedy == "make it")
    }

    @Test func whatAnOpenerSaysInGeneralGivesWayToWhatHelpsWithThisPart() {
        let error = ConfigError(
            file: "b.toml", path: "bus[0]", line: 2, cause: "/dev/i2c-9 cannot be opened: no",
            advice: PartOpener.advice)
        #expect(
            error.description
                == "b.toml:2: bus[0]: /dev/i2c-9 cannot be opened: no; check the wiring, the overlay and the user's groups"
        )
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
