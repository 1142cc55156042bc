// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

@Test func unknownChipSaysWhichAreKnown() {
    let error = #expect(throws: UnknownChip.self) { try ChipCatalog.chip(named: "BMA400") }
    #expect(
        error?.description == "unknown chip \"BMA400\"; known: \(ChipCatalog.chips.map(\.name).joined(separator: ", "))"
    )
}

@Test func aChipIsFoundWhateverItsCapitals() throws {
    #expect(try ChipCatalog.chip(named: "lis3dh").name == "LIS3DH")
    #expect(try ChipCatalog.chip(named: "LIS3MDL").kinds == [.magnetometer])
}

@Test func aDriverRefusesSettingsThroughTheCatalog() throws {
    let bus = SimulatedI2CBus(chips: []) { .zero }
    let entry = try ChipCatalog.chip(named: "LIS3DH")
    #expect(throws: SettingError.self) { try entry.make(bus, "i2c-1", ChipSettings(rate: 99)) }
}

@Test func probingSaysWhatIsWrongAndWritesNothing() throws {
    let bus = SimulatedI2CBus(chips: [SimulatedLIS3DH(acceleration: wave(1))], keepsLog: true) { .zero }
    #expect(try ChipCatalog.chip(named: "LIS3DH").make(bus, "i2c-1", ChipSettings()).probe() == nil)
    let missing = try ChipCatalog.chip(named: "LIS3MDL").make(bus, "i2c-1", ChipSettings(address: 0x1E)).probe()
    #expect(missing?.cause == .bus(.noAcknowledge(address: 0x1E)))
    #expect(missing?.description.hasPrefix("i2c-1 0x1E: LIS3MDL does not respond") == true)
    #expect(bus.log.allSatisfy { $0.operations == [.write([0x0F]), .read(1)] })
}
