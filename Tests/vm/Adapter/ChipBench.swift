// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SimulatedWorld
import Simulation

/// The chips behind the adapter, and what is wrong with their wires at the moment.
struct ChipBench: Sendable {
    /// I2C messages that came, whatever became of them.
    private(set) var messages = 0
    private var bus: SimulatedI2CBus
    private let clock: any StudyClock
    private let surroundings: PhysicalInput
    private var addresses: [UInt8]
    private var motor: SimulatedDRV2605L.Motor
    /// How often the motor of a DRV2605L has begun to turn.
    private(set) var turns = 0
    private var isTurning = false
    private var silent: Set<UInt8> = []
    private var isStalled = false

    /// Chips as `LIS3DH@0x18`, moved by a world that begins now.
    init(_ chips: [String], script: String, clock: any StudyClock) throws {
        surroundings = PhysicalInput(try World(script: script, start: clock.monotonic, seed: 1))
        let fitted = try FittedChips(chips, surroundings, clock.monotonic)
        bus = SimulatedI2CBus(chips: fitted.chips) { clock.monotonic }
        addresses = fitted.chips.map(\.address)
        motor = fitted.motor
        self.clock = clock
    }

    /// Other chips, just switched on, in the same world.
    mutating func fit(_ chips: [String]) throws(AdapterError) {
        let clock = clock
        let fitted = try FittedChips(chips, surroundings, clock.monotonic)
        bus = SimulatedI2CBus(chips: fitted.chips) { clock.monotonic }
        addresses = fitted.chips.map(\.address)
        motor = fitted.motor
        isTurning = false
        silent = []
    }

    /// One I2C message: bytes to write, or a count to read.
    mutating func message(_ address: UInt8, _ data: [UInt8]?, _ count: Int) -> TinyUSB.Outcome {
        messages += 1
        if isStalled { return .failed }
        if silent.contains(address) { return .noAcknowledge }
        do throws(I2CError) {
            let bytes = try bus.transaction(address, [data.map(I2COperation.write) ?? .read(count)])
            watchMotor()
            return .bytes(bytes)
        } catch {
            return error == .noAcknowledge(address: address) ? .noAcknowledge : .failed
        }
    }

    private mutating func watchMotor() {
        let turnsNow = motor.state.strength != 0
        if turnsNow && !isTurning { turns += 1 }
        isTurning = turnsNow
    }

    /// The chip does not acknowledge; it measures on.
    mutating func silence(_ address: UInt8) { silent.insert(address) }
    mutating func wake(_ address: UInt8) { silent.remove(address) }
    /// Every transfer fails, or no longer.
    mutating func stall(_ isOn: Bool) { isStalled = isOn }

    /// The supply was interrupted: chips forget their settings.
    func powerCycle(_ address: UInt8? = nil) {
        for each in addresses where address == nil || each == address {
            bus.inject(.powerLoss(address: each, at: clock.monotonic))
        }
    }
}

/// `0x18` or `24`.
func parse(address text: String) -> UInt8? {
    let value = text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
    return value.flatMap { (0x08...0x77).contains($0) ? $0 : nil }
}
