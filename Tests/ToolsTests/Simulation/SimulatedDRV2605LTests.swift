// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import SystemKit
import Testing

/// The real driver on the simulated chip.
private struct Desk {
    let hand = Hand()
    let motor = SimulatedDRV2605L.Motor()
    let bus: SimulatedI2CBus

    init(isForgetful: Bool = false) {
        let hand = hand
        bus = SimulatedI2CBus(
            chips: [SimulatedDRV2605L(motor: motor, isForgetful: isForgetful)], keepsLog: true
        ) { hand.now }
    }

    var go: UInt8 { get throws { try bus.read(0x5A, register: 0x0C, count: 1)[0] } }

    /// Lets the chip see that time has passed.
    func wait(_ time: Duration) throws {
        hand.now = hand.now + time
        _ = try bus.read(0x5A, register: 0x00, count: 1)
    }

    /// Starts a sequence of effects, which the driver does not use: mode, library, places, GO.
    func play(_ effects: [UInt8]) throws {
        try bus.write(0x5A, register: 0x01, 0x00)
        try bus.write(0x5A, register: 0x03, 1)
        for (place, effect) in effects.enumerated() { try bus.write(0x5A, register: 0x04 + UInt8(place), effect) }
        if effects.count < 8 { try bus.write(0x5A, register: 0x04 + UInt8(effects.count), 0) }
        try bus.write(0x5A, register: 0x0C, 1)
    }
}

@Suite struct SimulatedDRV2605LTests {
    @Test func aToneVibratesAndStillnessIsStandby() throws {
        let desk = Desk()
        let buzzer: any Buzzer = try DRV2605L(bus: desk.bus, busName: "i2c-1", strength: 0.5)
        #expect(!buzzer.hasPitch && desk.motor.state.isAsleep)
        try buzzer.tone(frequency: 2000)
        #expect(abs(desk.motor.state.strength - 0.5) < 0.01 && !desk.motor.state.isAsleep)
        try buzzer.tone(frequency: nil)
        #expect(desk.motor.state.strength == 0 && desk.motor.state.isAsleep)
        // RTP_INPUT: what a motor gets as soon as the mode is that of tones.
        #expect(try desk.bus.read(0x5A, register: 0x02, count: 1) == [0])
    }

    /// A plain DRV2605 has nothing left after each effect.
    @Test(arguments: [false, true]) func effectsArePlayedAgainAndAgain(_ isForgetful: Bool) throws {
        let desk = Desk(isForgetful: isForgetful)
        let driver = try DRV2605L(bus: desk.bus, busName: "i2c-1")
        for _ in 0..<3 {
            try desk.play([1, 47])
            #expect(desk.motor.state.strength == 1 && desk.motor.state.library == 1)
            try desk.wait(.milliseconds(150))
            #expect(try desk.go == 1)
            try desk.wait(.milliseconds(60))
            #expect(try desk.go == 0 && desk.motor.state.strength == 0)
        }
        #expect(desk.motor.state.effects == [1, 47, 1, 47, 1, 47])
        try driver.tone(frequency: 1)
        #expect(desk.motor.state.strength == 1)
    }

    /// The chip has eight places (datasheet 7.6.4): the zero that ends a sequence has none after eight.
    @Test(arguments: [1, 7, 8]) func aSequenceHasEightPlaces(count: Int) throws {
        let desk = Desk()
        let sequence = [UInt8](repeating: 1, count: count)
        try desk.play(sequence)
        try desk.wait(.seconds(5))
        #expect(desk.motor.state.effects == sequence)
        #expect(try desk.go == 0)
    }

    @Test func aResonantMotorIsDrivenWithFeedback() throws {
        let desk = Desk()
        try DRV2605L(bus: desk.bus, busName: "i2c-1", motor: .resonant).tone(frequency: 1)
        #expect(try desk.bus.read(0x5A, register: 0x1A, count: 1)[0] & 0x80 != 0)
    }

    @Test func itRestsWhenItIsClosedOrGivenUp() throws {
        let desk = Desk()
        do {
            let driver = try DRV2605L(bus: desk.bus, busName: "i2c-1")
            try driver.tone(frequency: 1)
            driver.close()
            #expect(desk.motor.state.isAsleep)
            let error = #expect(throws: SystemError.self) { try driver.tone(frequency: 1) }
            #expect(error?.code == 9)
        }
        do {
            let driver = try DRV2605L(bus: desk.bus, busName: "i2c-1")
            try driver.tone(frequency: 1)
        }
        #expect(desk.motor.state.isAsleep)
    }

    @Test func aPowerLossIsForgottenByTheNextTone() throws {
        let desk = Desk()
        let driver = try DRV2605L(bus: desk.bus, busName: "i2c-1")
        desk.bus.inject(.powerLoss(address: 0x5A, at: MonotonicTime(nanoseconds: 5)))
        try desk.wait(.seconds(1))
        try driver.tone(frequency: 1)
        #expect(desk.motor.state.strength == 1)
        #expect(try desk.bus.read(0x5A, register: 0x1D, count: 1)[0] & 0x20 != 0)
    }

    /// The kernel's drv260x.c leaves CONTROL3 at NG_THRESH_2 and RTP_UNSIGNED_DATA (48h) since "Input: drv260x - fix
    /// magnitude handling" of 2023, and the chip keeps it while it has its supply. 7Fh is then no drive (TI's SLOS854C,
    /// figure 26: 00h is the lowest, FFh the highest).
    @Test(arguments: [DRV2605L.Motor.rotating, .resonant])
    func aToneIsFeltWhateverItsNumbersMeantBefore(_ motor: DRV2605L.Motor) throws {
        let desk = Desk()
        for (input, strength) in [(0x7F, 0.0), (0xFF, 1)] as [(UInt8, Double)] {
            try desk.bus.write(0x5A, register: 0x1D, 0x48)
            try desk.bus.write(0x5A, register: 0x01, 0x05)
            try desk.bus.write(0x5A, register: 0x02, input)
            #expect(desk.motor.state.strength == strength)
        }
        let driver = try DRV2605L(bus: desk.bus, busName: "i2c-1", motor: motor)
        try driver.tone(frequency: 1)
        #expect(desk.motor.state.strength == 1)
        #expect(try desk.bus.read(0x5A, register: 0x1D, count: 1) == [motor == .rotating ? 0x60 : 0x40])
    }

    @Test func whoeverElseIsThereIsNotWrittenTo() {
        let bus = SimulatedI2CBus(chips: [], keepsLog: true) { .zero }
        let missing = #expect(throws: SystemError.self) { _ = try DRV2605L(bus: bus, busName: "i2c-1") }
        #expect(missing?.place == "DRV2605L at i2c-1 0x5A")
        #expect(bus.log.map(\.operations) == [[.write([0x00]), .read(1)]])
    }
}
