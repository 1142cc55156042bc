// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SimulatedWorld
import Synchronization

/// An I2C bus with simulated chips on it, for `SimulatedBoard`, for made studies (`MadeSurroundings`) and for
/// tests of drivers. Any thread may use it.
///
/// Each transaction first reads the clock and moves all chips on to that time, so the bus runs as
/// fast as the caller's clock.
package final class SimulatedI2CBus: I2CBus {
    /// One transaction as it was asked for, and when.
    package struct Transaction: Sendable, Hashable {
        package let time: MonotonicTime
        package let address: UInt8
        package let operations: [I2COperation]
    }

    private struct State: Sendable {
        var chips: [any SimulatedChip]
        var faults: [BusFault] = []
        var log: [Transaction] = []
        /// How many random numbers were drawn for faults: the position in the seeded noise.
        var drawnNumbers = 0
        /// Addresses that a driver of the kernel owns.
        var taken: Set<UInt8> = []
        var lastTime: MonotonicTime
    }

    private let state: Mutex<State>
    private let clock: @Sendable () -> MonotonicTime
    private let noise: SeededNoise
    private let keepsLog: Bool
    /// Nine bits: an address and its acknowledgement.
    private let addressTime: Duration

    /// A bus with these chips, on that clock. The log of transactions grows without
    /// bound: for tests. `frequency` in Hz says how long addressing takes; the rest of a
    /// transfer takes no time.
    package init(
        chips: [any SimulatedChip], seed: UInt64 = 1, keepsLog: Bool = false, frequency: Int = 400_000,
        clock: @escaping @Sendable () -> MonotonicTime
    ) {
        state = Mutex(State(chips: chips, lastTime: clock()))
        self.clock = clock
        addressTime = .nanoseconds(9 * 1_000_000_000 / Int64(max(1, frequency)))
        noise = SeededNoise(seed: seed)
        self.keepsLog = keepsLog
    }

    package func inject(_ fault: BusFault) { state.withLock { $0.faults.append(fault) } }
    package func attach(_ chip: any SimulatedChip) { state.withLock { $0.chips.append(chip) } }
    package func detach(address: UInt8) { state.withLock { $0.chips.removeAll { $0.address == address } } }
    /// Lets a driver of the kernel own the address from now on.
    package func bindToKernel(address: UInt8) { state.withLock { _ = $0.taken.insert(address) } }
    package func isTakenByKernel(_ address: UInt8) -> Bool { state.withLock { $0.taken.contains(address) } }
    /// When the interrupt pin of the chip at the address rose; nil while it is low,
    /// or without a chip.
    package func pinHighSince(_ address: UInt8) -> MonotonicTime? {
        let now = clock()
        return state.withLock { state in
            moveChips(to: now, on: &state)
            return state.chips.first { $0.address == address }?.pinHighSince
        }
    }
    /// What was asked for so far, when a log is kept.
    package var log: [Transaction] { state.withLock { $0.log } }

    /// Runs the operations with the chip at the address, unless a fault is in force.
    package func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        let now = clock()
        let result: Result<[UInt8], I2CError> = state.withLock { state in
            if keepsLog { state.log.append(Transaction(time: now, address: address, operations: operations)) }
            return run(operations, with: address, at: now, on: &state)
        }
        return try result.get()
    }

    private func run(
        _ operations: [I2COperation], with address: UInt8, at now: MonotonicTime, on state: inout State
    ) -> Result<[UInt8], I2CError> {
        moveChips(to: now, on: &state)
        if let error = error(with: address, at: now, faults: state.faults) { return .failure(error) }
        guard let index = state.chips.firstIndex(where: { $0.address == address && $0.isConnected }) else {
            return .failure(.noAcknowledge(address: address))
        }
        var bytes: [UInt8] = []
        for operation in operations {
            state.chips[index].workDuringAddressing(addressTime)
            switch operation {
            case .write(let data): state.chips[index].write(data)
            case .read(let count): bytes += state.chips[index].read(count)
            }
        }
        return .success(withBitErrors(garbled(bytes, from: address, at: now, on: &state), at: now, on: &state))
    }

    /// Time passes for every chip; those that lost their supply since the last transaction start
    /// again.
    private func moveChips(to now: MonotonicTime, on state: inout State) {
        for case .powerLoss(let address, let moment) in state.faults where moment <= now && moment > state.lastTime {
            for index in state.chips.indices where state.chips[index].address == address {
                state.chips[index].powerCycle(at: moment)
            }
        }
        for index in state.chips.indices {
            if measuresNothing(state.chips[index].address, at: now, state.faults) {
                state.chips[index].skipSamples(to: now)
            } else {
                state.chips[index].advance(to: now)
            }
        }
        state.lastTime = max(state.lastTime, now)
    }

    private func error(with address: UInt8, at now: MonotonicTime, faults: [BusFault]) -> I2CError? {
        for fault in faults {
            switch fault {
            case .stuck(let time) where time.contains(now): return .timeout(address: address)
            case .noAcknowledge(address, let time) where time.contains(now): return .noAcknowledge(address: address)
            case .unplugged(address, let file) where access(file, F_OK) == 0: return .noAcknowledge(address: address)
            default: continue
            }
        }
        return nil
    }

    private func measuresNothing(_ address: UInt8, at now: MonotonicTime, _ faults: [BusFault]) -> Bool {
        faults.contains {
            if case .measuresNothing(address, let time) = $0 { time.contains(now) } else { false }
        }
    }

    private func garbled(
        _ bytes: [UInt8], from address: UInt8, at now: MonotonicTime, on state: inout State
    ) -> [UInt8] {
        for case .answers(let answer, address, let time) in state.faults where time.contains(now) {
            return bytes.map { _ in
                guard case .always(let byte) = answer else {
                    state.drawnNumbers += 1
                    return UInt8(noise.uniform(state.drawnNumbers) * 255.99)
                }
                return byte
            }
        }
        return bytes
    }

    private func withBitErrors(_ bytes: [UInt8], at now: MonotonicTime, on state: inout State) -> [UInt8] {
        var bytes = bytes
        for case .bitErrors(let probability, let time) in state.faults where time.contains(now) {
            for index in bytes.indices {
                for bit in 0..<8 {
                    state.drawnNumbers += 1
                    if noise.uniform(state.drawnNumbers) < probability { bytes[index] ^= 1 << UInt8(bit) }
                }
            }
        }
        return bytes
    }
}
