// SPDX-License-Identifier: Apache-2.0
import Base
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
}
