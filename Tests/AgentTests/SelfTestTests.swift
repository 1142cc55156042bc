// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SimulatedWorld
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent

private let boardText = """
    name = "bench"
    [[bus]]
    name = "left"
    device = "simulated"
    [[bus]]
    name = "right"
    device = "simulated"
    [[chip]]
    type = "LIS3DH"
    bus = "left"
    address = 0x18
    [[chip]]
    type = "LIS3MDL"
    bus = "right"
    address = 0x1C
    [[button]]
    name = "only"
    device = "simulated"
    code = 28
    [[light]]
    name = "status"
    device = "/nowhere/leds/status"
    [world]
    """

/// A bus on which every transaction fails alike.
private struct BrokenBus: I2CBus {
    let failure: @Sendable (UInt8) -> I2CError
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        throw failure(address)
    }
}

/// Notes what is written to the registers of a chip.
private final class NotingBus: I2CBus {
    private let bus: SimulatedI2CBus
    private let notes = Mutex<[(register: UInt8, value: UInt8)]>([])

    init(_ bus: SimulatedI2CBus) { self.bus = bus }

    func written(to register: UInt8) -> [UInt8] {
        notes.withLock { $0.filter { $0.register == register }.map(\.value) }
    }

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        for case .write(let bytes) in operations where bytes.count == 2 {
            notes.withLock { $0.append((bytes[0], bytes[1])) }
        }
        return try bus.transaction(address, operations)
    }
}

/// A bus with a driver that never comes back; what hangs on it ends with the tests.
private struct HangingBus: I2CBus {
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        while true { sleepForLong() }
    }
    private func sleepForLong() { (try? Waker())?.wait(atMost: .seconds(3600)) }
}

/// The right bus has a chip, the left one is as told. No keys, no lights.
private func findings(
    left: any I2CBus, agent: AgentFacts? = nil, board: String = boardText
) throws -> [CheckSubject: CheckFinding] {
    let clock = SystemClock()
    let start = clock.monotonic
    let world = try World(script: "still 60s", start: start)
    let entry = try #require(SimulatedCatalog.chip(named: "LIS3MDL"))
    let chip = entry.make(0x1C, PhysicalInput(world), Specimen(noise: 0.3, seed: 1), start)
    var setting = CheckSetting(
        board: try BoardDescription(parsing: board, file: "bench.toml"), clock: clock,
        trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
    setting.parts.buses = ["left": left, "right": SimulatedI2CBus(chips: [chip]) { clock.monotonic }]
    setting.agent = agent
    let found = try SelfTest(setting).run()
    return Dictionary(uniqueKeysWithValues: found.map { ($0.subject, $0) })
}

/// A board with a motor that a chip on that bus drives.
private func shaking(_ bus: any I2CBus, motor: String = "") throws -> CheckFinding? {
    let text = """
        name = "bench"
        [[bus]]
        name = "body"
        device = "simulated"
        [vibration]
        chip = "DRV2605L"
        bus = "body"
        \(motor)
        [[button]]
        name = "only"
        device = "simulated"
        code = 28
        [world]
        """
    var setting = CheckSetting(
        board: try BoardDescription(parsing: text, file: "bench.toml"), clock: SystemClock(),
        trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
    setting.parts.buses = ["body": bus]
    var found: CheckFinding?
    PanelProbe(setting: setting).run { found = $0 }
    return found
}

@Suite struct SelfTestTests {
    private static let bus = CheckSubject(.bus, "left")
    private static let chip = CheckSubject(.chip, "LIS3DH 0x18")
    private static let other = CheckSubject(.chip, "LIS3MDL 0x1C")

    @Test func aBusThatIsHeldLowFailsAndTheOtherGoesOn() throws {
        let found = try findings(left: BrokenBus { .timeout(address: $0) })
        #expect(
            found[Self.bus]?.result == .failed && found[Self.bus]?.detail.contains("SDA or SCL is held low") == true)
        #expect(found[Self.chip]?.result == .skipped)
        #expect(found[Self.other]?.result == .ok, "\(String(describing: found[Self.other]))")
        #expect(found[CheckSubject(.clock, "clock")]?.result == .ok)
    }

    @Test func chipsOfOneTypeAndAddressAreToldApartByTheirBuses() throws {
        let twins = boardText.replacing("LIS3DH", with: "LIS3MDL").replacing("0x18", with: "0x1C")
        let found = try findings(left: BrokenBus { .noAcknowledge(address: $0) }, board: twins)
        #expect(found[CheckSubject(.chip, "LIS3MDL 0x1C on left")]?.result == .failed)
        #expect(found[CheckSubject(.chip, "LIS3MDL 0x1C on right")]?.result == .ok, "\(found)")
    }

    /// 9 s are for all, and a silent server takes 4 s.
    @Test(.timeLimit(.minutes(10))) func silentServersAreEachAskedToTheEnd() throws {
        let server = try SilentServer()
        var setting = CheckSetting(
            board: try BoardDescription(
                parsing:
                    "name = 'bare'\n[[button]]\nname = 'only'\ndevice = 'simulated'\ncode = 28\n[[light]]\nname = 'l'\ndevice = 'simulated'\n[world]\n",
                file: "b.toml"), clock: SystemClock(),
            trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
        // A destination may be called as the study's server is.
        let servers = [("study", "/1"), ("bucket", "/2"), ("study", "/3")]
        setting.servers = servers.map { CheckServer(name: $0, url: server.url + $1) }
        let found = try SelfTest(setting).run().filter { $0.subject.part == .server }
        #expect(found.map(\.subject.name) == servers.map(\.0))
        #expect(found.allSatisfy { $0.result == .failed }, "\(found)")
        for (name, path) in servers {
            #expect(
                found.contains { $0.subject.name == name && $0.detail.hasPrefix("\(server.url)\(path):") }, "\(found)")
        }
    }

    @Test(arguments: CheckPart.allCases) func onlyADeviceHasAStuckDriver(_ part: CheckPart) {
        let late = SelfTest.late(CheckSubject(part, "x"))
        let others: [CheckPart: String] = [
            .server: "network", .disk: "card", .agent: "busy", .clock: "busy", .boot: "busy", .measure: "busy",
        ]
        #expect(late.remedy?.contains(others[part] ?? "driver is stuck") == true, "\(late)")
    }

    @Test func anEmptyBusIsAWarningAndItsChipFails() throws {
        let found = try findings(left: BrokenBus { .noAcknowledge(address: $0) })
        #expect(found[Self.bus]?.result == .warning && found[Self.bus]?.remedy?.contains("pull-ups") == true)
        #expect(found[Self.chip]?.result == .failed && found[Self.chip]?.detail.contains("does not respond") == true)
    }

    @Test func partsThatCannotBeOpenedFailWithTheirPlace() throws {
        let found = try findings(left: BrokenBus { .noAcknowledge(address: $0) })
        let light = found[CheckSubject(.light, "status")]
        #expect(light?.result == .failed && light?.detail.contains("/nowhere/leds/status") == true)
        #expect(light?.remedy?.contains("polarity") == true)
        #expect(found[CheckSubject(.button, "only")]?.result == .failed)
    }

    @Test(.timeLimit(.minutes(10))) func aDriverThatHangsIsLeftBehind() throws {
        let found = try findings(left: HangingBus())
        for subject in [Self.bus, Self.chip] {
            #expect(found[subject]?.result == .failed && found[subject]?.detail.contains("within 9 s") == true)
        }
        #expect(found[Self.other]?.result == .ok)
    }

    @Test func withARunningAgentNoDeviceIsTouched() throws {
        let facts = AgentFacts(measures: [], faults: [])
        let found = try findings(left: HangingBus(), agent: facts)
        #expect(found[Self.bus]?.result == .skipped && found[Self.other]?.result == .skipped)
        #expect(found[CheckSubject(.agent, "studyd")]?.result == .ok)
    }

    @Test func aMotorBehindItsDriverIsShakenAndPutToRest() throws {
        let motor = SimulatedDRV2605L.Motor()
        let clock = SystemClock()
        let bus = SimulatedI2CBus(chips: [SimulatedDRV2605L(motor: motor, start: clock.monotonic)]) { clock.monotonic }
        let found = try shaking(bus)
        #expect(found?.result == .ok && found?.subject == CheckSubject(.vibration, "vibration"))
        #expect(motor.state.isAsleep && motor.state.strength == 0)
    }

    /// TI SLOS854: 5 in register 0x01 drives by the strength in 0x02; the highest bit of 0x1A is N_ERM_LRA.
    @Test(arguments: [("", false), ("motor = \"lra\"", true)])
    func theDriverShakesTheKindOfMotorThatTheBoardHas(key: String, isResonant: Bool) throws {
        let clock = SystemClock()
        let chip = SimulatedDRV2605L(motor: SimulatedDRV2605L.Motor(), start: clock.monotonic)
        let bus = NotingBus(SimulatedI2CBus(chips: [chip]) { clock.monotonic })
        #expect(try shaking(bus, motor: key)?.result == .ok)
        let strengths = bus.written(to: 0x02)
        #expect(
            strengths.contains { $0 > 0 } && strengths.last == 0 && bus.written(to: 0x01).contains(5), "\(strengths)")
        let feedback = bus.written(to: 0x1A)
        #expect(!feedback.isEmpty && feedback.allSatisfy { ($0 & 0x80 != 0) == isResonant }, "\(feedback)")
    }

    @Test func aMotorWithoutItsDriverIsNamed() throws {
        let found = try shaking(BrokenBus { .noAcknowledge(address: $0) })
        #expect(
            found?.result == .failed
                && found?.detail.contains("DRV2605L at 0x5A of bus 'body' cannot be opened") == true)
        #expect(found?.remedy?.contains("motor") == true)
    }

    private static let parts = [
        "buzzer": "[buzzer]\ndevice = \"/dev/gpiochip0:1\"\n",
        "vibration": "[vibration]\ndevice = \"/dev/gpiochip0:2\"\n",
        "loudspeaker": "[loudspeaker]\ndevice = \"hw:0\"\n",
    ]

    /// What the board does not have is not asked for.
    @Test(
        arguments: [
            [], ["buzzer"], ["vibration"], ["loudspeaker"], ["buzzer", "vibration"],
            ["buzzer", "vibration", "loudspeaker"],
        ] as [[String]]) func thePanelsPartsAreThoseOfTheBoard(names: [String]) throws
    {
        let text = BoardDescriptionTests.least + names.compactMap { Self.parts[$0] }.joined()
        let setting = CheckSetting(
            board: try BoardDescription(parsing: text, file: "b.toml"), clock: SystemClock(),
            trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
        #expect(PanelProbe(setting: setting).subjects.map(\.name) == ["l"] + names)
    }

    /// Rates from the least to the most that a board may name.
    @Test(arguments: [8000, 16_000, 22_050, 48_000, 192_000])
    func theToneHas500HzFor400MillisecondsAtAFifthOfFullScale(rate: Int) {
        let tone = PanelProbe.tone(rate)
        #expect(tone.count == rate * 2 / 5)
        #expect(tone.max() == 6_500 && tone.min() == -6_500)
        let rises = zip(tone, tone.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect((196...204).contains(rises), "\(rises)")
    }
}
