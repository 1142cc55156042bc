// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct AgentFactsTests {
    private static let status = """
        {"running":true,"measures":[{"channel":"accelerometer","device":"LIS3DH","unit":"g","due":100,"stored":90,"lost":10,
        "lastHour":{"due":100,"stored":90,"lost":10},"nominalRate":100,"measuredRate":100.8},
        {"channel":"sound","device":"microphone","unit":"PCM","due":5,"stored":0,"lost":5,
        "lastHour":{"due":5,"stored":0,"lost":5},"nominalRate":16000}],
        "next":[],"faults":["b.toml:4: chip[1]: LIS3MDL does not answer; check its supply"],"diskFree":1,"ledger":{}}
        """

    @Test func theRunningAgentSpeaksForItsDevices() throws {
        let board = try BoardDescription(
            parsing: BoundedFile.text(AgentFixture.package + "/boards/simulated.toml"), file: "b")
        var findings: [CheckFinding] = []
        AgentProbe(try AgentFacts(status: Self.status), board: board).run { findings.append($0) }
        func found(_ part: CheckPart, _ name: String) -> CheckFinding? {
            findings.first { $0.subject == CheckSubject(part, name) }
        }
        #expect(found(.agent, "studyd")?.result == .ok)
        #expect(found(.agent, "fault 1")?.result == .failed && found(.agent, "fault 1")?.remedy == "check its supply")
        let motion = found(.chip, "accelerometer LIS3DH")
        #expect(
            motion?.result == .ok && motion?.detail.contains("100.8 of 100.0 Hz (+0.8 %), last hour: 100 due") == true)
        #expect(found(.microphone, "sound microphone")?.result == .failed)
        for (part, name) in [
            (CheckPart.bus, "motion"), (.chip, "LIS3MDL 0x1E"), (.button, "next"), (.light, "status"),
            (.buzzer, "buzzer"), (.position, "position"),
        ] {
            let left = found(part, name)
            #expect(left?.result == .skipped && left?.remedy?.contains("systemctl stop studyd") == true, "\(name)")
        }
        #expect(Set(findings.map(\.subject)).count == findings.count)
    }

    @Test func anotherVersionsWordsAreNamed() {
        let fault = #expect(throws: FileFault.self) { try AgentFacts(status: "{}") }
        #expect(fault?.description.contains("restart it after an update") == true)
    }
}
