// SPDX-License-Identifier: Apache-2.0
import Hardware
import Samples
import Sensors
import Simulation
import Testing
import Times

/// What a count of a magnetometer is worth, as their makers' own code says: ST's lis3mdl_reg.c (`lis3mdl_from_fs4_to_gauss` and its
/// sisters: 6842, 3421, 2281 and 1711 to a gauss), ST's lis2mdl_reg.c (`lis2mdl_from_lsb_to_mgauss`: 1.5 mG), SparkFun's library of the
/// MMC5983MA (18 bits over ±8 gauss: 131 072 for 8 gauss). A gauss is 100 µT.
@Suite struct MagnetometerFactsTests {
    private static let facts: [(name: String, range: Double?, microtesla: Double)] = [
        ("LIS3MDL", 400, 100 / 6842), ("LIS3MDL", 800, 100 / 3421), ("LIS3MDL", 1200, 100 / 2281),
        ("LIS3MDL", 1600, 100 / 1711),
        ("LIS2MDL", nil, 0.15), ("MMC5983MA", nil, 800.0 / 131_072),
    ]

    @Test(arguments: 0..<6) func aCountIsWorthWhatItsMakerSays(_ index: Int) throws {
        let (name, range, microtesla) = Self.facts[index]
        let field = SIMD3(18.0, -5, 42)
        let surroundings = Surroundings(acceleration: { _ in .zero }, rotation: { _ in .zero }, field: { _ in field })
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let entry = try Catalog.chip(named: name)
        var settings = ChipSettings()
        settings.range = range
        let rig = try Rig(
            [twin.make(entry.identity.addresses[0], surroundings, Specimen(rateError: 0), .zero)], sensor: name,
            settings: settings)
        rig.run(until: .zero + .seconds(3))
        let last = try #require(rig.frames.last)
        for (axis, channel) in rig.device.source.channels.enumerated() {
            #expect(abs(channel.scale / microtesla - 1) < 1e-3, "\(name) \(channel.scale)")
            #expect(abs(channel.value(last.values[axis]) - field[axis]) <= 2 * microtesla, "\(name) \(channel.name)")
        }
    }
}
