// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Device

/// Both housings that have their magnetometer behind a switch.
private struct Housing: Sendable, CustomTestStringConvertible {
    let host: String
    let guest: String
    /// Bypass bit, and the register of its sleep bit.
    let pins: UInt8
    let power: UInt8
    var testDescription: String { host }

    func chips(_ field: @escaping Signal) -> [any SimulatedChip] {
        let bypass = BypassSwitch()
        let still: Signal = { _ in SIMD3(0, 0, 1) }
        let turn: Signal = { _ in .zero }
        return host == "MPU-9250"
            ? [
                SimulatedMPU6050(.mpu9250, address: 0x69, bypass: bypass, acceleration: still, rotation: turn),
                SimulatedAK8963(bypass: bypass, field: field),
            ]
            : [
                SimulatedICM20948(address: 0x69, bypass: bypass, acceleration: still, rotation: turn),
                SimulatedAK09916(bypass: bypass, field: field),
            ]
    }
}

private let housings = [
    Housing(host: "MPU-9250", guest: "AK8963", pins: 0x37, power: 0x6B),
    Housing(host: "ICM-20948", guest: "AK09916", pins: 0x0F, power: 0x06),
]

@Suite struct AK8963Tests {
    @Test(arguments: housings) private func theSwitchIsClosedWhereTheMagnetometerDoesNotAnswer(_ housing: Housing)
        throws
    {
        let rig = try Rig(housing.chips { _ in SIMD3(18, -5, 42) }, sensor: housing.guest)
        #expect(throws: I2CError.noAcknowledge(address: 0x0C)) { try rig.bus.read(0x0C, register: 0, count: 1) }
        rig.run(until: at(3))
        #expect(rig.counters.errors <= 1 && rig.frames.count > 10)
        #expect(try rig.bus.read(0x69, register: housing.pins, count: 1) == [0x02])
        let plausible = Plausibility.check(rig.frames, of: rig.device.source)
        #expect(plausible.first?.isPlausible == true && abs((plausible.first?.value ?? 0) - 45.97) < 0.2)
    }

    /// Both data sheets: at least 100 µs of power-down come before another mode, in which a byte is read at 400 kHz.
    @Test(arguments: housings) private func aReadPassesBetweenPowerDownAndTheNextMode(_ housing: Housing) throws {
        let rig = try Rig(housing.chips { _ in SIMD3(18, -5, 42) }, sensor: housing.guest)
        rig.run(until: at(3))
        let control: UInt8 = housing.guest == "AK8963" ? 0x0A : 0x31
        let own = rig.bus.log.filter { $0.address == 0x0C }.map(\.operations)
        let downs = own.indices.filter { own[$0] == [.write([control, 0x00])] }
        #expect(!downs.isEmpty)
        for down in downs {
            guard down + 1 < own.count, case .read? = own[down + 1].last else {
                Issue.record("\(own[down...].prefix(2))")
                continue
            }
        }
    }

    /// The housing loses its supply: the switch opens, the host sleeps, the guest has
    /// forgotten its mode.
    @Test(arguments: housings) private func afterAPowerLossTheSwitchIsClosedAgain(_ housing: Housing) throws {
        let rig = try Rig(housing.chips { _ in SIMD3(18, -5, 42) }, sensor: housing.guest)
        rig.bus.inject(.powerLoss(address: 0x69, at: at(5.03)))
        rig.bus.inject(.powerLoss(address: 0x0C, at: at(5.03)))
        rig.run(until: at(20))
        #expect(rig.counters.setUps == 2 && rig.counters.trouble == nil)
        let gaps = rig.frames.filter { $0.lostBefore > 0 }
        #expect(gaps.count == 1 && gaps.first?.reason == LossReason.deviceError.rawValue)
    }

    /// Both sensors of one housing, each with its own driver, do not undo each other's settings.
    @Test(arguments: housings) private func bothSensorsOfAHousingGetOnTogether(_ housing: Housing) throws {
        let clock = VirtualClock(now: Instant(seconds: 1_700_000_000))
        let bus = SimulatedI2CBus(chips: housing.chips { _ in SIMD3(18, -5, 42) }) { clock.monotonic }
        let poller = SteppedPoller(clock: clock)
        bus.inject(.powerLoss(address: 0x69, at: at(20.7)))
        bus.inject(.powerLoss(address: 0x0C, at: at(20.7)))
        var devices: [SampledDevice] = []
        for (name, address) in [(housing.host, UInt8(0x69)), (housing.guest, 0x0C)] {
            let sensor = try ChipCatalog.chip(named: name).make(bus, "i2c-1", ChipSettings(address: address))
            let ring = FrameRing(capacity: 1 << 15, repeating: VectorFrame(values: .zero, count: 3))
            devices.append(SampledDevice(sensor: sensor, ring: ring, start: .zero))
        }
        for device in devices { poller.add(device) }
        poller.run(until: at(60))
        for device in devices {
            #expect(device.counters.setUps == 2 && device.counters.trouble == nil, "\(device.source.device)")
            let due = Int(60 * device.source.nominalRate * 1.008)
            #expect(abs(device.counters.read + device.counters.lost - due) <= 33)
        }
    }

    @Test func withoutAHostNothingIsWritten() throws {
        let stranger = Stranger(address: 0x68)
        let rig = try Rig([stranger], sensor: "AK8963")
        rig.run(until: at(3))
        #expect(rig.counters.trouble?.fault.cause == .bus(.noAcknowledge(address: 0x0C)))
        #expect(rig.bus.log.allSatisfy { $0.operations.allSatisfy { !$0.writesData } })
    }

    /// Bytes by hand: 100, −200 and 50 counts, adjusted by (ASA + 128) / 256 with ASA 175, 179 and
    /// 168, X and Y exchanged and Z turned over.
    @Test func theMakersAdjustmentAndTheAxesArePutOn() throws {
        let bus = SimulatedI2CBus(chips: [SimulatedAK8963(field: { _ in .zero })]) { .zero }
        let sensor = try AK8963(bus: bus, busName: "i2c-1")
        try sensor.setUp()
        let counts = sensor.counts([0x64, 0x00, 0x38, 0xFF, 0x32, 0x00, 0x10], at: 0)
        let values = sensor.source.channels.indices.map { sensor.source.channels[$0].value(counts[$0]) }
        for (value, expected) in zip(values, [-200 * 0.15 * 307 / 256, 100 * 0.15 * 303 / 256, -50 * 0.15 * 296 / 256])
        {
            #expect(abs(value - expected) < 1e-9)
        }
    }
}
