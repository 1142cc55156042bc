// SPDX-License-Identifier: Apache-2.0

/// The register addresses in which AKM's magnetometers differ.
struct AKMLayout: Sendable {
    let host: BypassHost
    /// ST1.
    let status: UInt8
    let data: UInt8
    /// Bytes from `data` up to and including ST2.
    let record: Int
    /// The register of the mode, which sets the rate.
    let control: UInt8
}

/// A magnetometer of AKM in the housing of an inertial sensor, without a FIFO: `AK8963` or `AK09916`.
///
/// It answers only while the housing's bypass switch is closed, which the driver does itself, once
/// nothing answers at 0x0C and the inertial sensor says who it is.
protocol AKMMagnetometer: ChipDriver {
    static var layout: AKMLayout { get }
    /// What the mode register must hold for the chip to measure.
    var control: UInt8 { get }
}

extension AKMMagnetometer {
    /// The mode, once the chip is powered down.
    var settings: RegisterWrites { [(Self.layout.control, control)] }
    func setUp() throws(I2CError) {
        try powerDown()
        try write(settings)
    }

    /// Closes the host's switch first, where nothing answers.
    func identityFault() -> SensorFault.Cause? { registerFault(behind: Self.layout.host) }
    /// Leaves the switch as it is.
    func identityFaultWhileMeasuring() -> SensorFault.Cause? { registerFault() }

    /// The mode is as written; after a power-on, or once the host has lost its supply, it reads
    /// power-down.
    func isSetUp() throws(I2CError) -> Bool { try byte(Self.layout.control) == control }

    func waiting() throws(I2CError) -> FIFOStatus { Self.waiting(status: try byte(Self.layout.status)) }

    /// ST1: b0 DRDY, b1 DOR (a sample was skipped).
    static func waiting(status: UInt8) -> FIFOStatus { FIFOStatus(status: status, ready: 0x01, overrun: 0x02) }

    /// The data registers do not change from the first byte on until ST2, the last, has been read.
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Self.layout.data, count: Self.layout.record, into: &bytes)
    }

    /// ST2 b3 HOFL: the sum of the axes was beyond what the sensor can hold, so the data are wrong
    /// (the kernel's ak8975.c drops them, too).
    func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool {
        burst[Self.layout.record * (index + 1) - 1] & 0x08 != 0
    }

    /// Between two modes the chip must be powered down for 100 µs, which the read takes [M].
    ///
    /// It reads up to ST2, because a reading that ended before has locked the data, which no mode unlocks;
    /// and what was measured before, perhaps with other bits, is no sample.
    func powerDown() throws(I2CError) {
        try write([(Self.layout.control, 0x00)])
        _ = try read(Self.layout.data, count: Self.layout.record)
    }
}
