// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent

@Suite struct AgentProbeTests {
    private static let facts = AgentFacts(
        measures: [
            .init(
                channel: "accelerometer", device: "LIS3DH", lastHour: .init(due: 100, stored: 90, lost: 10),
                nominalRate: 100, measuredRate: 100.8, fault: nil),
            .init(
                channel: "sound", device: "microphone", lastHour: .init(due: 5, stored: 0, lost: 5),
                nominalRate: 16_000,
                measuredRate: nil, fault: nil),
        ],
        faults: [Explanation(place: "b.toml:4: chip[1]", cause: "LIS3MDL does not answer", remedy: "check its supply")])

    @Test func theRunningAgentSpeaksForItsDevices() throws {
        let board = try BoardDescription(
            parsing: BoundedFile.text(AgentFixture.package + "/boards/simulated.toml"), file: "b")
        var findings: [CheckFinding] = []
        AgentProbe(facts: Self.facts, board: board).run { findings.append($0) }
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

    /// Until a block is full its samples are in memory.
    @Test(arguments: [
        (0, 0, 0, CheckFinding.Result.ok), (120, 0, 0, .ok), (121, 0, 0, .failed), (121, 0, 1, .ok), (51, 0, 25, .ok),
        (50, 0, 25, .failed), (50, 1, 49, .ok),
    ])
    func aMeasureFailsWhereNothingOfTheHourIsStored(
        _ due: Int, _ stored: Int, _ lost: Int, _ result: CheckFinding.Result
    ) throws {
        let measure = AgentFacts.Measure(
            channel: "pressure", device: "BMP280", lastHour: .init(due: due, stored: stored, lost: lost),
            nominalRate: 1, measuredRate: nil, fault: nil)
        let facts = AgentFacts(measures: [measure], faults: [])
        let board = try BoardDescription(parsing: BoardDescriptionTests.least, file: "b")
        var findings: [CheckFinding] = []
        AgentProbe(facts: facts, board: board).run { findings.append($0) }
        #expect(findings.first { $0.subject == CheckSubject(.chip, "pressure BMP280") }?.result == result)
    }

    @Test func ofTwoChipsOfOneTypeTheOneThatIsNotMeasuredIsSkipped() throws {
        let chips = ["one", "two"].map { bus in
            """
            [[bus]]
            name = "\(bus)"
            device = "/dev/i2c-\(bus)"
            [[chip]]
            type = "LIS3DH"
            bus = "\(bus)"
            address = 0x18

            """
        }
        let board = try BoardDescription(
            parsing: "name = 'twins'\n" + chips.joined()
                + "[[button]]\nname = 'only'\ndevice = '/dev/input/event0'\ncode = 28\n[buzzer]\ndevice = '/dev/gpiochip0:4'\n",
            file: "b")
        let skipped = AgentProbe(facts: Self.facts, board: board).subjects.filter { $0.name.hasPrefix("LIS3DH") }
        #expect(skipped == [CheckSubject(.chip, "LIS3DH 0x18 on two")])
    }
}
