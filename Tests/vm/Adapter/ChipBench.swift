// SPDX-License-Identifier: Apache-2.0
import Hardware
import Simulation
import Times

/// The chips behind the adapter, and what is wrong with their wires at the moment.
struct ChipBench: Sendable {
    /// I2C messages that came, whatever became of them.
    private(set) var messages = 0
    private let bus: SimulatedI2CBus
    private let clock: any StudyClock
    private let addresses: [UInt8]
    private var silent: Set<UInt8> = []
    private var isStalled = false

    /// Chips as `LIS3DH@0x18`, moved by a world that begins now.
    init(_ chips: [String], script: String, clock: any StudyClock) throws {
        let start = clock.monotonic
        let world = try World(script: script, start: start, seed: 1)
        var made: [any SimulatedChip] = []
        for text in chips { made.append(try Self.chip(text, Surroundings(world), start)) }
        bus = SimulatedI2CBus(chips: made) { clock.monotonic }
        addresses = made.map(\.address)
        self.clock = clock
    }

    private static func chip(
        _ text: String, _ surroundings: Surroundings, _ start: MonotonicTime
    ) throws -> any SimulatedChip {
        let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
        guard parts.count == 2, let address = parse(address: parts[1]) else {
            throw AdapterError("'\(text)' is no chip; write for instance LIS3DH@0x18")
        }
        guard let entry = SimulatedCatalog.chip(named: parts[0]) else {
            throw AdapterError(
                "no chip is called \(parts[0]); known: \(SimulatedCatalog.chips.map(\.name).joined(separator: ", "))")
        }
        // A specimen as the simulated board has it: off its nominal rate, and not silent.
        let specimen = entry.isMagnetometer ? Specimen(rateError: -0.004, noise: 0.3, seed: 2) : Specimen(noise: 0.002)
        return entry.make(address, surroundings, specimen, start)
    }

    /// One I2C message: bytes to write, or a count to read.
    mutating func message(_ address: UInt8, _ data: [UInt8]?, _ count: Int) -> TinyUSB.Outcome {
        messages += 1
        if isStalled { return .failed }
        if silent.contains(address) { return .noAcknowledge }
        do throws(I2CError) {
            let bytes = try bus.transaction(address, [data.map(I2COperation.write) ?? .read(count)])
            return .bytes(bytes)
        } catch {
            return error == .noAcknowledge(address: address) ? .noAcknowledge : .failed
        }
    }

    /// The chip does not acknowledge; it measures on.
    mutating func silence(_ address: UInt8) { silent.insert(address) }
    /// The chip answers again.
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
