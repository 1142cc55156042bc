// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import SystemKit
import Testing

@testable import Agent

@Suite struct BoardDevicesTests {
    static func devices(_ name: String, _ parts: SimulatedParts = SimulatedParts()) throws -> BoardDevices {
        let path = "\(AgentFixture.package)/boards/\(name).toml"
        return try BoardDevices(
            BoardDescription(parsing: BoundedFile.text(path), file: path), parts: parts,
            clock: VirtualClock(now: .epoch))
    }

    /// The breadboard's buzzer is a PWM channel that this machine does not have; the
    /// Sense HAT has none.
    @Test(arguments: ["breadboard", "sense-hat"]) func whereNoBuzzerSoundsALoudspeakerMay(_ name: String) throws {
        let devices = try Self.devices(name)
        defer { devices.close() }
        #expect(devices.isWithoutBuzzer())
    }

    @Test func aBuzzerThatIsThereSoundsItself() throws {
        let folder = try SimulatedPanelFolder()
        var parts = SimulatedParts()
        parts.buzzer = folder.buzzer
        let devices = try Self.devices("simulated", parts)
        defer { devices.close() }
        #expect(!devices.isWithoutBuzzer())
    }

    /// Pulled out while the agent runs: the system that is made for the next participant awaits it,
    /// and measures again when it is back under another number.
    @Test func aKernelDeviceThatWasPulledOutIsMissedUntilItIsBack() throws {
        let model = SimulatedIIODevice.Model(
            name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.01) { _ in SIMD3(0, 0, 9.8) }])
        let device = try SimulatedIIODevice(model)
        var parts = SimulatedParts()
        parts.kernelChips = device.root
        let text = BoardDescriptionTests.least + "[[chip]]\ntype = \"IIO\"\ndevice = \"lis3dh\"\n"
        let clock = VirtualClock(now: .epoch)
        let devices = try BoardDevices(
            BoardDescription(parsing: text, file: "b.toml"), parts: parts, clock: clock)
        defer { devices.close() }
        let chip = try #require(devices.board.kernelChips.first)
        #expect(devices.kernelDevice(chip)?.node == "iio:device0")
        device.unplug()
        let measures = try AgentConfiguration(
            parsing: "board = 'b'\n[[measure]]\nchannel = 'accelerometer'\nrate = 100\n", file: "studyd.toml"
        ).measures
        let fit = MeasuringFit(measures, on: devices.board, kernelDevice: devices.kernelDevice)
        #expect(fit.problems.isEmpty && fit.kernelMeasures.count == 1)
        #expect(devices.poller.faults.contains { $0.description.contains("lis3dh") })
        try device.plug(number: 3)
        devices.poller.poll(at: clock.monotonic + .seconds(2))
        #expect(devices.kernelDevice(chip)?.node == "iio:device3")
    }
}
