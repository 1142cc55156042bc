// SPDX-License-Identifier: Apache-2.0

/// The registers of an InvenSense chip's FIFO of bytes.
struct MPUFIFO: Sendable {
    /// Bytes of a sample: accelerometer, then gyroscope, in the order of their registers.
    fileprivate static let record = 12
    /// Room for this many more samples, as the kernel's inv_mpu_ring.c has it, for those that come between the
    /// reading of the count and that of the FIFO.
    fileprivate static let reserve = 3

    /// The register that tells of an overflow, and its bits for that.
    let status: UInt8
    let overflow: UInt8
    /// The register of the byte count: two bytes, the higher first; the upper three bits are reserved.
    let count: UInt8
    /// The register that the FIFO is read from; the address does not increment.
    let port: UInt8

    /// Bursts are limited to thirty records: 360 bytes, 8 ms on a bus of 400 kHz, during which no other
    /// chip is read.
    static func size(bytes: Int) -> FIFOSize { FIFOSize(depth: bytes / record, maxBurst: 30) }
}

/// A chip with an `MPUFIFO`, without a watermark: the count is polled. An overflow loses the
/// alignment of the records, so the FIFO is emptied.
protocol MPUFIFODriver: ChipDriver {
    static var fifo: MPUFIFO { get }
    /// Takes the sensors off the FIFO while it resets it, as the kernel's inv_mpu6050 and ArduPilot do: it must not
    /// begin with a part of a record.
    func emptyFIFO() throws(I2CError)
}

extension MPUFIFODriver {
    /// Whole records in the FIFO, which is emptied after an overflow.
    func waiting() throws(I2CError) -> FIFOStatus {
        let status = try byte(Self.fifo.status)
        let count = try pair(Self.fifo.count)
        let bytes = Int(count[0] & 0x1F) << 8 | Int(count[1])
        // A full FIFO has lost bytes or is about to, whatever became of the flag.
        guard status & Self.fifo.overflow == 0, bytes <= (depth - MPUFIFO.reserve) * MPUFIFO.record else {
            try emptyFIFO()
            return FIFOStatus(level: 0, isOverrun: true)
        }
        return FIFOStatus(level: bytes / MPUFIFO.record, isOverrun: false)
    }

    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Self.fifo.port, count: MPUFIFO.record * count, into: &bytes, pieces: .port)
    }

    /// The record has the accelerometer first, frames the gyroscope.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let record = bigEndian(burst, at: MPUFIFO.record * index, axes: 6)
        return SIMD8(record[3], record[4], record[5], record[0], record[1], record[2], 0, 0)
    }
}
