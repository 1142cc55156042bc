// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Device

private func chip() -> SimulatedICM20948 {
    SimulatedICM20948(
        acceleration: { SIMD3(0, 0, Double($0.nanoseconds % 1_000_000_000) / 1e9) },
        rotation: { _ in SIMD3(10, 20, 30) },
        specimen: Specimen(rateError: 0))
}

@Suite struct ICM20948Tests {
    /// A bus that dies in bank 2 leaves a chip that cannot be recognised; it is brought
    /// back all the same.
    @Test func aSetUpThatWasCutOffInAnotherBankIsRecoveredFrom() throws {
        let rig = try Rig([chip()], sensor: "ICM-20948")
        try rig.bus.write(0x68, register: 0x7F, 0x20)
        rig.run(until: at(3))
        #expect(rig.counters.errors == 0 && rig.frames.count > 100)
    }

    @Test func thereIsNoExactHundredHertz() throws {
        let bus = SimulatedI2CBus(chips: []) { .zero }
        let error = #expect(throws: SettingError.self) {
            _ = try ICM20948(bus: bus, busName: "i2c-1", settings: ChipSettings(rate: 100))
        }
        #expect(error?.possible.contains("102.3") == true)
        #expect(try ICM20948(bus: bus, busName: "i2c-1").source.nominalRate == 1125 / 11.0)
    }

    /// 512 is no multiple of 12: after an overflow records lie across each other, and only an
    /// empty FIFO helps.
    @Test func anOverflowIsACountedGapAndNoMixedUpAxes() throws {
        let rig = try Rig([chip()], sensor: "ICM-20948")
        rig.run(until: at(2))
        rig.hand.now = at(5)
        rig.run(until: at(8))
        #expect(rig.counters.lost(.chipOverrun) > 250 && rig.frames.filter { $0.lostBefore > 0 }.count == 1)
        for frame in rig.frames { #expect(frame.values[0] == 164 && frame.values[1] == 328 && frame.values[2] == 492) }
    }
}
