// SPDX-License-Identifier: Apache-2.0
import Base

/// What the simulated twins of AKM's magnetometers (`SimulatedAK8963`, `SimulatedAK09916`) have in common.
///
/// From other sources: HOFL (ST2 b3) says that the sum of the axes was beyond what the sensor holds, and
/// the data are wrong then (AKM's datasheets, "magnetic sensor overflow"; the kernel's ak8975.c
/// drops such a sample); here they are half of what is felt.
///
/// Modelled: a single measurement, modes that can be reached from power-down only, DRDY and DOR,
/// data that do not change from the first byte read until ST2, the overflow flag, software reset.
protocol SimulatedAKM: RegisterChip {
    /// The switch that connects it to the bus; nil: it always is.
    var bypass: BypassSwitch? { get }
    static var layout: AKMTwinLayout { get }
    /// While the data registers are being read, no sample enters them.
    var isLocked: Bool { get set }
    /// Measurements per second by mode.
    var rates: [Int: Double] { get }
    /// Bits of ST2 beside HOFL.
    var endBits: UInt8 { get }
    /// The next sample in the chip's own axes, in µT, with noise.
    mutating func drawSample(at moment: MonotonicTime) -> SIMD3<Double>
    /// A sample in counts of the current resolution.
    func counts(_ own: SIMD3<Double>) -> SIMD3<Int32>
}

/// Where one of AKM's magnetometers has its registers.
struct AKMTwinLayout: Sendable {
    /// ST1.
    let status: UInt8
    /// The first of six data registers.
    let data: UInt8
    /// ST2.
    let end: UInt8
    let control: UInt8
    let reset: UInt8
    /// The bits of the control register that are its mode; 0 = power-down, 1 = single measurement.
    let modes: UInt8
}

extension SimulatedAKM {
    package var address: UInt8 { 0x0C }
    package var isConnected: Bool { bypass?.isClosed ?? true }
    var endBits: UInt8 { 0 }

    mutating func forget() { isLocked = false }
    mutating func store(_ value: UInt8) { storeMode(value) }
    mutating func fetch() -> UInt8 { fetchOutput() }

    /// Anything but reset and mode is read-only or reserved.
    mutating func storeMode(_ value: UInt8) {
        let layout = Self.layout
        switch core.pointer {
        case layout.reset where value & 0x01 != 0: powerCycle(at: core.now)
        case layout.control:
            // From one mode to another only through power-down.
            guard core[layout.control] & layout.modes == 0 || value & layout.modes == 0 else { return }
            core[layout.control] = value & 0x1F
            core.run(rate: rates[Int(value & layout.modes)] ?? 0)
        default: break
        }
    }

    /// Any data register clears DRDY (b0) and DOR (b1) of ST1; ST2, the last, lets the next sample in.
    mutating func fetchOutput() -> UInt8 {
        let layout = Self.layout
        if layout.data...layout.end ~= core.pointer {
            core[layout.status] &= ~0x03
            isLocked = core.pointer < layout.end
        }
        return core[core.pointer]
    }

    mutating func measure(at moment: MonotonicTime) {
        let layout = Self.layout
        let own = drawSample(at: moment)
        if core[layout.control] & layout.modes == 1 {  // single, then power-down
            core[layout.control] &= ~layout.modes
            core.timer.restart(rate: 0, at: moment)
        }
        guard !isLocked else {
            core[layout.status] |= 0x02
            return
        }
        core[layout.status] = core[layout.status] & 0x01 != 0 ? 0x03 : 0x01
        // The largest sum in µT (AK8963 datasheet, "magnetic sensor overflow").
        let isOverflow = abs(own.x) + abs(own.y) + abs(own.z) >= 4912
        core.show(lowFirst(counts(isOverflow ? own / 2 : own)), from: layout.data)
        core[layout.end] = (isOverflow ? 0x08 : 0) | endBits
    }
}
