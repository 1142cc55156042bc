// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

/// A bus that only makes drivers possible.
private struct NoBus: I2CBus {
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        throw .noAcknowledge(address: address)
    }
}

/// Bytes written by hand from the datasheets' formats, not by a simulated chip.
@Suite struct ChipBytesTests {
    private func decoded(_ name: String, _ bytes: [UInt8], _ settings: ChipSettings = ChipSettings()) throws -> [Double]
    {
        let sensor = try ChipCatalog.chip(named: name).make(NoBus(), "i2c-1", settings)
        let counts = sensor.counts(bytes, at: 0)
        return sensor.source.channels.enumerated().map { $0.element.value(counts[$0.offset]) }
    }

    @Test(
        arguments: [
            // Little-endian, right-justified, 256 per g.
            ("ADXL345", [0x00, 0x01, 0x80, 0xFF, 0x40, 0x00], [1, -0.5, 0.25]),
            // 12 bits left-justified; 1.95 mg per digit at ±4 g.
            ("LSM303AGR-accel", [0x00, 0x01, 0xF0, 0xFF, 0x00, 0x40], [0.0312, -0.00195, 1.9968]),
            // Accelerometer first, high byte first, 4096 per g and 16.4 per deg/s.
            (
                "MPU-6050", [0x10, 0x00, 0xF0, 0x00, 0x08, 0x00, 0x00, 0xA4, 0xFF, 0x5C, 0x06, 0x68],
                [10, -10, 100, 1, -1, 0.5]
            ),
            // Gyroscope first, low byte first, 70 mdps and 0.244 mg.
            (
                "LSM6DSO", [0x64, 0x00, 0x9C, 0xFF, 0x00, 0x00, 0xE8, 0x03, 0x18, 0xFC, 0x01, 0x00],
                [7, -7, 0, 0.244, -0.244, 0.000244]
            ),
            // High byte first, X Z Y; 1090 counts per gauss.
            ("HMC5883L", [0x04, 0x42, 0xFB, 0xBE, 0x02, 0x21], [100, 50, -100]),
            // The same with 1100 for X and Y and 980 for Z.
            ("LSM303DLHC-magn", [0x04, 0x4C, 0xFC, 0x2C, 0x02, 0x26], [100, 50, -100]),
            // Low byte first, X Y Z; 12000 counts per gauss.
            ("QMC5883L", [0xE0, 0x2E, 0x20, 0xD1, 0x70, 0x17, 0x01], [100, -100, 50]),
            // 1.5 mG per count.
            ("LIS2MDL", [0x64, 0x00, 0x9C, 0xFF, 0x01, 0x00], [15, -15, 0.15]),
            // 131072 is no field; one gauss is 16384 counts; the last two bits come apart.
            (
                "MMC5983MA", [0x90, 0x00, 0x70, 0x00, 0x80, 0x00, 0x18],
                [100, -100 + 100 / 16384.0, 2 * 100 / 16384.0]
            ),
            // Accelerometer first, high byte first, 4096 per g and 16.4 per deg/s.
            (
                "ICM-20948", [0x10, 0x00, 0xF0, 0x00, 0x08, 0x00, 0x00, 0xA4, 0xFF, 0x5C, 0x06, 0x68],
                [10, -10, 100, 1, -1, 0.5]
            ),
            // 0.15 µT per count; Y and Z turned over; a byte of nothing and ST2 follow.
            ("AK09916", [0x64, 0x00, 0x9C, 0xFF, 0x0A, 0x00, 0x00, 0x00], [15, 15, -1.5]),
            ("LSM9DS1-magn", [0xE8, 0x03, 0x18, 0xFC, 0x00, 0x00], [14, -14, 0]),
        ] as [(String, [UInt8], [Double])])
    func bytesAreDecoded(_ name: String, _ bytes: [UInt8], _ expected: [Double]) throws {
        let values = try decoded(name, bytes)
        #expect(values.count == expected.count)
        for (value, expected) in zip(values, expected) { #expect(abs(value - expected) < 1e-9, "\(values)") }
    }

    @Test func statusOfTheFIFOsIsRead() {
        #expect(ADXL345.waiting(source: 0x83, status: 0x20) == FIFOStatus(level: 32, isOverrun: true))
        // "A maximum of 33 entries available at any given time": Linux's adxl345_core.c has ADXL345_FIFO_SIZE 33.
        #expect(ADXL345.waiting(source: 0x83, status: 0x21) == FIFOStatus(level: 33, isOverrun: true))
        #expect(ADXL345.waiting(source: 0x82, status: 0x94) == FIFOStatus(level: 20, isOverrun: false))
        #expect(LSM9DS1.waiting(source: 0x94) == FIFOStatus(level: 20, isOverrun: false))
        #expect(LSM9DS1.waiting(source: 0xE0) == FIFOStatus(level: 32, isOverrun: true))
        #expect(LSM6DSO.waiting(status: 0x29, 0x80) == FIFOStatus(level: 20, isOverrun: false))
        #expect(LSM6DSO.waiting(status: 0x00, 0xEA) == FIFOStatus(level: 256, isOverrun: true))
        #expect(QMC5883L.waiting(status: 0x05) == FIFOStatus(level: 1, isOverrun: true))
        #expect(LIS2MDL.waiting(status: 0x0F) == FIFOStatus(level: 1, isOverrun: false))
        #expect(LIS2MDL.waiting(status: 0xFF) == FIFOStatus(level: 1, isOverrun: true))
    }

    /// Tag b7:3 1 is the gyroscope, 2 the accelerometer; b2:1 count the moments.
    @Test func taggedWordsMakeSamplesInAnyOrderAndOrphansAreDropped() {
        func word(_ sensor: UInt8, _ moment: UInt8, _ value: UInt8) -> [UInt8] {
            let head = sensor << 3 | moment << 1
            return [head | UInt8(head.nonzeroBitCount & 1)] + [UInt8](repeating: value, count: 6)
        }
        var pairs = TaggedPairs()
        var bytes = [UInt8](repeating: 0, count: 12)
        bytes +=
            word(2, 0, 9) + word(1, 1, 1) + word(2, 1, 2) + word(2, 2, 4) + word(1, 2, 3) + word(3, 2, 7)
            + word(1, 3, 5)
        pairs.gather(7, from: 12, in: &bytes)
        #expect(pairs.count == 2 && pairs.missing(of: 3) == 1)
        bytes.replaceSubrange(36..., with: word(2, 3, 6))
        pairs.gather(1, from: 36, in: &bytes)
        #expect(bytes.prefix(36) == [1, 2, 3, 4, 5, 6].flatMap { [UInt8](repeating: $0, count: 6) }[...])
    }

    @Test(arguments: [
        (
            "ADXL345", ChipSettings(rate: 3200),
            "ADXL345 has no rate 3200; possible: 6.25, 12.5, 25, 50, 100, 200, 400, 800"
        ),
        ("MPU-6500", ChipSettings(watermark: 31), "MPU-6500 has no watermark 31; possible: 1 to 30"),
        ("LSM303AGR-accel", ChipSettings(address: 0x18), "LSM303AGR-accel has no address 0x18; possible: 0x19"),
        ("HMC5883L", ChipSettings(watermark: 2), "HMC5883L has no watermark 2; possible: 1, for it has no FIFO"),
        ("AK8963", ChipSettings(rate: 10), "AK8963 has no rate 10; possible: 8, 100"),
        ("LIS2MDL", ChipSettings(range: 400), "LIS2MDL has no range 400; possible: 5000"),
    ])
    func whatAChipDoesNotHaveIsRefused(_ name: String, _ settings: ChipSettings, _ message: String) throws {
        let entry = try ChipCatalog.chip(named: name)
        let error = #expect(throws: SettingError.self) { try entry.make(NoBus(), "i2c-1", settings) }
        #expect(error?.description == message)
    }
}
