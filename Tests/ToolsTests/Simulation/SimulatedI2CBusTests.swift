// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Simulation
import Testing

private func board(_ hand: Hand) -> SimulatedI2CBus {
    let chips: [any SimulatedChip] = [
        SimulatedLIS3DH(acceleration: { _ in SIMD3(0, 0, 1) }), SimulatedLIS3MDL(field: { _ in SIMD3(20, 0, -44) }),
    ]
    return SimulatedI2CBus(chips: chips, keepsLog: true) { hand.now }
}

@Test func eachChipAnswersAtItsAddressOnly() throws {
    let bus = board(Hand())
    #expect(try bus.read(0x18, register: 0x0F, count: 1) == [0x33])
    #expect(try bus.read(0x1C, register: 0x0F, count: 1) == [0x3D])
    #expect(throws: I2CError.noAcknowledge(address: 0x19)) { try bus.read(0x19, register: 0x0F, count: 1) }
    #expect(bus.log.count == 3)
}

@Test func faultsLastAsLongAsSaid() throws {
    let hand = Hand()
    let bus = board(hand)
    bus.inject(.noAcknowledge(address: 0x18, during: at(1)..<at(2)))
    bus.inject(.stuck(during: at(3)..<at(4)))
    hand.now = at(1.5)
    #expect(throws: I2CError.noAcknowledge(address: 0x18)) { try bus.read(0x18, register: 0x0F, count: 1) }
    #expect(try bus.read(0x1C, register: 0x0F, count: 1) == [0x3D])
    hand.now = at(3)
    #expect(throws: I2CError.timeout(address: 0x1C)) { try bus.read(0x1C, register: 0x0F, count: 1) }
    hand.now = at(4)
    #expect(try bus.read(0x18, register: 0x0F, count: 1) == [0x33])
}

@Test func unpluggedAsLongAsTheFileIsThere() throws {
    let bus = board(Hand())
    let file = "/tmp/studyd-unplugged-\(getpid())"
    bus.inject(.unplugged(address: 0x18, whileThereIs: file))
    #expect(try bus.read(0x18, register: 0x0F, count: 1) == [0x33])
    close(creat(file, 0o600))
    defer { unlink(file) }
    #expect(throws: I2CError.noAcknowledge(address: 0x18)) { try bus.read(0x18, register: 0x0F, count: 1) }
    #expect(try bus.read(0x1C, register: 0x0F, count: 1) == [0x3D])
    unlink(file)
    #expect(try bus.read(0x18, register: 0x0F, count: 1) == [0x33])
}

@Test func powerLossForgetsTheSetUpOnce() throws {
    let hand = Hand()
    let bus = board(hand)
    bus.inject(.powerLoss(address: 0x18, at: at(1)))
    try bus.write(0x18, register: 0x20, 0x57)
    hand.now = at(2)
    #expect(try bus.read(0x18, register: 0x20, count: 1) == [0x07])
    try bus.write(0x18, register: 0x20, 0x57)
    hand.now = at(3)
    #expect(try bus.read(0x18, register: 0x20, count: 1) == [0x57])
}

@Test func aPowerLossAtTheMomentOfATransactionCountsInIt() throws {
    let hand = Hand()
    let bus = board(hand)
    bus.inject(.powerLoss(address: 0x18, at: at(1)))
    try bus.write(0x18, register: 0x20, 0x57)
    hand.now = at(1) - .nanoseconds(1)
    #expect(try bus.read(0x18, register: 0x20, count: 1) == [0x57])
    hand.now = at(1)
    #expect(try bus.read(0x18, register: 0x20, count: 1) == [0x07])
    try bus.write(0x18, register: 0x20, 0x57)
    #expect(try bus.read(0x18, register: 0x20, count: 1) == [0x57], "once")
}

/// A FIFO of 100 samples a second holds five, and after nearly a second without a sample not the 32 that were missed.
@Test func whatWasNotMeasuredIsNotMadeUpFor() throws {
    let hand = Hand()
    let chip = SimulatedADXL345(acceleration: { _ in SIMD3(0, 0, 1) }, specimen: Specimen(rateError: 0))
    let bus = SimulatedI2CBus(chips: [chip]) { hand.now }
    bus.inject(.measuresNothing(address: chip.address, during: at(0.055)..<at(1)))
    try bus.write(chip.address, register: 0x38, 0x80)
    try bus.write(chip.address, register: 0x2D, 0x08)
    hand.now = at(0.054)
    #expect(try bus.read(chip.address, register: 0x39, count: 1) == [5])
    hand.now = at(0.999)
    #expect(try bus.read(chip.address, register: 0x39, count: 1) == [5])
    hand.now = at(1.025)
    #expect((6...9).contains(try bus.read(chip.address, register: 0x39, count: 1)[0]))
}

@Test func bitErrorsAreAsManyAsSaidAndTheSameEachTime() throws {
    func errors() throws -> Int {
        let hand = Hand()
        let bus = board(hand)
        bus.inject(.bitErrors(probability: 0.01, during: at(0)..<at(10)))
        return try (0..<1000).reduce(0) { sum, _ in
            sum + (try bus.read(0x18, register: 0x0F, count: 1)[0] ^ 0x33).nonzeroBitCount
        }
    }
    #expect((50...110).contains(try errors()))
    #expect(try errors() == errors())
}

@Test func aChipCanBeUnpluggedAndPluggedIn() throws {
    let bus = board(Hand())
    bus.detach(address: 0x18)
    #expect(throws: I2CError.noAcknowledge(address: 0x18)) { try bus.read(0x18, register: 0x0F, count: 1) }
    bus.attach(SimulatedLIS3DH(acceleration: { _ in .zero }))
    #expect(try bus.read(0x18, register: 0x0F, count: 1) == [0x33])
}
