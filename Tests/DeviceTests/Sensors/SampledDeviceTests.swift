// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Device

private func rig(
    _ specimen: Specimen = Specimen(), settings: ChipSettings = ChipSettings(), ringCapacity: Int = 4096,
    readsRing: Bool = true
) throws -> Rig {
    try Rig(
        [SimulatedLIS3DH(acceleration: wave(1), specimen: specimen)], sensor: "LIS3DH", settings: settings,
        ringCapacity: ringCapacity, readsRing: readsRing)
}

/// How many of the chip's first samples are dropped.
private let dropped = 7

/// Samples that the simulated chip has taken after `seconds` at 100 Hz + 0.8 %.
private func taken(_ seconds: Double) -> Int { Int(seconds * 100.8) }

@Test(arguments: [-0.1, -0.008, 0, 0.008, 0.1])
func theTrueRateShowsInTheCount(_ error: Double) throws {
    let rig = try rig(Specimen(rateError: error))
    rig.run(until: at(100))
    #expect(abs(rig.frames.count + dropped - Int(10_000 * (1 + error))) <= 31)
    #expect(rig.counters.lost == 0 && rig.counters.read == rig.frames.count && rig.counters.setUps == 1)
}

@Test func stampsAreWithinAPeriodOfTheSample() throws {
    let rig = try rig()
    rig.run(until: at(60))
    for (index, frame) in rig.frames.enumerated() where frame.isStamped {
        let truth = at(0.0001 + Double(index + 1 + dropped) / 100.8)
        #expect(abs((frame.time - truth).seconds) < 0.01)
    }
}

@Test func aHeldUpThreadIsACountedGap() throws {
    let rig = try rig()
    rig.run(until: at(20))
    rig.hand.now = at(21.5)
    rig.run(until: at(40))
    let gaps = rig.frames.filter { $0.lostBefore > 0 }
    #expect(gaps.count == 1 && gaps.first?.reason == LossReason.chipOverrun.rawValue)
    #expect(rig.counters.lost(.chipOverrun) == rig.lostInFrames && rig.lostInFrames > 100)
    #expect(abs(rig.frames.count + rig.lostInFrames + dropped - taken(40)) <= 32)
}

@Test func aShortSilenceCostsNothing() throws {
    let rig = try rig()
    rig.run(until: at(10))
    rig.bus.inject(.noAcknowledge(address: 0x18, during: rig.device.due..<rig.device.due + .milliseconds(50)))
    rig.run(until: at(30))
    #expect(rig.counters.errors == 2)
    #expect(rig.counters.lost == 0 && rig.counters.setUps == 1)
    #expect(abs(rig.frames.count + dropped - taken(30)) <= 32)
}

@Test(arguments: [true, false])
func aLongFailureIsAGapAndTheDeviceGoesOn(_ isStuck: Bool) throws {
    let rig = try rig()
    let time = at(10)..<at(15)
    rig.bus.inject(isStuck ? .stuck(during: time) : .noAcknowledge(address: 0x18, during: time))
    rig.run(until: at(12))
    #expect(rig.counters.errors > 2)
    let cause: I2CError = isStuck ? .timeout(address: 0x18) : .noAcknowledge(address: 0x18)
    #expect(rig.counters.trouble?.fault.cause == .bus(cause))
    rig.run(until: at(40))
    #expect(rig.counters.trouble == nil && rig.counters.errors < 20)
    let gaps = rig.frames.filter { $0.lostBefore > 0 }
    #expect(gaps.count == 1 && rig.counters.lost == rig.lostInFrames && rig.lostInFrames > 400)
    #expect(abs(rig.frames.count + rig.lostInFrames + dropped - taken(40)) <= 33)
}

/// What a chip's FIFO does not keep of a silence is lost, and nothing beside.
@Test(arguments: ["LIS3DH", "LIS3MDL", "LSM6DSO", "QMC5883L"], [false, true])
func aSilenceOfFourTenthsOfASecondCostsNoMore(_ name: String, _ isStuck: Bool) throws {
    for phase in [0.0, 0.07, 0.13] { try fallSilent(name, isStuck, phase) }
}

private func fallSilent(_ name: String, _ isStuck: Bool, _ phase: Double) throws {
    let entry = try ChipCatalog.chip(named: name)
    let chip = try #require(SimulatedCatalog.chip(named: name)).make(
        entry.identity.addresses[0], PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(20)),
        Specimen(), .zero)
    let rig = try Rig([chip], sensor: name)
    let (from, to) = (at(10 + phase), at(10.4 + phase))
    rig.bus.inject(
        isStuck ? .stuck(during: from..<to) : .noAcknowledge(address: entry.identity.addresses[0], during: from..<to))
    rig.run(until: at(30))
    #expect(rig.counters.trouble == nil && rig.counters.lost == rig.lostInFrames)
    // The pause in which the silence ends, and the sample that was being taken.
    let most = (0.4 + 0.05) * rig.device.source.nominalRate * 1.01 + 2
    #expect(
        Double(rig.lostInFrames) <= most, "\(name): \(rig.lostInFrames) of \(rig.device.source.nominalRate) per second")
}

@Test func aChipThatForgotItsSetUpGetsItAgain() throws {
    let rig = try rig()
    rig.bus.inject(.powerLoss(address: 0x18, at: at(10.05)))
    rig.run(until: at(30))
    #expect(rig.counters.setUps == 2 && rig.counters.errors == 1)
    let gaps = rig.frames.filter { $0.lostBefore > 0 }
    #expect(gaps.count == 1 && gaps.first?.reason == LossReason.deviceError.rawValue)
    #expect(abs(rig.frames.count + rig.lostInFrames + dropped - taken(30)) <= 33)
}

@Test func afterATornBurstTheChipIsSetUpAgain() throws {
    let rig = try rig()
    rig.run(until: at(10))
    // Silent exactly from the burst on: the status is read, the burst is not.
    let torn = TornBus(bus: rig.bus)
    let sensor = try LIS3DH(bus: torn, busName: "i2c-1")
    let device = SampledDevice(sensor: sensor, ring: rig.ring, start: rig.hand.now)
    while device.due < at(20) {
        rig.hand.now = max(rig.hand.now, device.due)
        device.serve(at: rig.hand.now)
        rig.drainRing()
    }
    #expect(device.counters.errors == 1 && device.counters.setUps == 2)
    #expect(device.counters.lost(.deviceError) > 15)
}

/// What failed is not asked for again before the pause that is given to a chip in trouble, however much of it waits.
@Test func aTornBurstIsTheLastOfItsLook() throws {
    let rig = try rig()
    rig.hand.now = at(11)
    let sensor = try LIS3DH(bus: TornBus(bus: rig.bus), busName: "i2c-1", settings: ChipSettings(watermark: 8))
    let device = SampledDevice(sensor: sensor, ring: rig.ring, start: rig.hand.now)
    var bursts: Int { rig.bus.log.filter { $0.operations.first == .write([0xA8]) }.count }
    while bursts < 2 {
        rig.hand.now = max(rig.hand.now, device.due)
        device.serve(at: rig.hand.now)
    }
    // Three bursts wait, and the first of them fails.
    rig.hand.now = device.due + .milliseconds(180)
    device.serve(at: rig.hand.now)
    #expect(bursts == 3 && device.counters.errors == 1)
    #expect(device.due > rig.hand.now && device.due <= rig.hand.now + .milliseconds(50))
}

/// An edge of a line that rises too early, as one that is shared or disturbed, is of no sample.
@Test func anEdgeBeforeTheWatermarkTellsNoTime() throws {
    let rig = try rig(settings: ChipSettings(watermark: 20))
    while rig.frames.count < 6000 { rig.run(until: rig.device.due + .nanoseconds(1)) }
    let count = rig.frames.count
    // The twin's rate is 0.8 % more than its nominal one.
    let truth = at(0.0001 + Double(count + 20 + dropped) / 100.8)
    let early = truth - .milliseconds(3)
    rig.hand.now = early
    rig.device.serve(at: early, edge: early)
    rig.drainRing()
    #expect(rig.frames.count == count)
    rig.run(until: early + .milliseconds(150))
    let stamp = try #require(rig.frames.dropFirst(count).first { $0.isStamped }).time
    #expect(abs((stamp - truth).seconds) < 0.001)
}

/// A bus that fails at the third burst.
private final class TornBus: I2CBus {
    private let bus: SimulatedI2CBus
    init(bus: SimulatedI2CBus) { self.bus = bus }
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        let isBurst = operations.first == .write([0xA8])
        let bytes = try bus.transaction(address, operations)
        let earlier = bus.log.filter { $0.operations.first == .write([0xA8]) && $0.time > at(10) }.count
        if isBurst && earlier == 3 { throw .arbitrationLost(address: address) }
        return bytes
    }
}

/// As long as the kernel's driver waits (inv_mpu_iio.h, INV_MPU6050_POWER_UP_TIME). Until then
/// nothing more is written to the chip, and the bus is free for others.
@Test(arguments: ["MPU-6050", "ICM-20948"]) func aChipThatWakesIsLeftAloneForATenthOfASecond(_ name: String) throws {
    let entry = try ChipCatalog.chip(named: name)
    let chip = try #require(SimulatedCatalog.chip(named: name)).make(
        entry.identity.addresses[0], PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(20)),
        Specimen(), .zero)
    let rig = try Rig([chip], sensor: name)
    rig.device.serve(at: .zero)
    let awake = try #require(rig.bus.log.last { $0.operations.contains(where: \.writesData) }).time
    #expect(rig.device.due == awake + .milliseconds(100) && rig.device.ready == rig.device.due)
    #expect(rig.counters.setUps == 0)
    rig.run(until: at(2))
    #expect(rig.bus.log.allSatisfy { $0.time <= awake || $0.time >= awake + .milliseconds(100) })
    #expect(rig.counters.setUps == 1 && rig.counters.errors == 0 && rig.counters.read > 0)
}

@Test func aFullRingIsCountedWithItsReason() throws {
    let rig = try rig(ringCapacity: 256, readsRing: false)
    rig.run(until: at(5))
    rig.drainRing()
    #expect(rig.frames.count == 256)
    rig.run(until: at(6))
    rig.drainRing()
    let gaps = rig.frames.filter { $0.lostBefore > 0 }
    #expect(gaps.count == 1 && gaps.first?.reason == LossReason.ringFull.rawValue)
    #expect(rig.counters.lost(.ringFull) == rig.lostInFrames && rig.lostInFrames == rig.ring.overruns)
    #expect(abs(rig.frames.count + rig.lostInFrames + dropped - taken(6)) <= 32)
}

@Test func aChipThatIsPluggedInLateHasItsAbsenceCounted() throws {
    let rig = try rig()
    rig.bus.detach(address: 0x18)
    rig.run(until: at(4))
    #expect(rig.counters.read == 0 && rig.counters.trouble?.since == .zero)
    rig.bus.attach(SimulatedLIS3DH(acceleration: wave(1), start: at(4)))
    rig.run(until: at(20))
    #expect(rig.frames.first?.reason == LossReason.deviceError.rawValue)
    #expect(abs(rig.frames.count + rig.lostInFrames - taken(20)) <= 40)
}

@Test func noSampleIsEverZeroBecauseAReadFailed() throws {
    let chip = SimulatedLIS3DH(acceleration: { _ in SIMD3(1, 1, 1) })
    let rig = try Rig([chip], sensor: "LIS3DH")
    rig.bus.inject(.noAcknowledge(address: 0x18, during: at(3)..<at(4)))
    rig.bus.inject(.stuck(during: at(6)..<at(6.3)))
    rig.bus.inject(.powerLoss(address: 0x18, at: at(9)))
    rig.run(until: at(20))
    #expect(rig.frames.allSatisfy { $0.values[0] == 500 && $0.values[1] == 500 && $0.values[2] == 500 })
}
