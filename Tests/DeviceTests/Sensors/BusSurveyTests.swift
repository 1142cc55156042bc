// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// Something that answers with what its registers hold.
private struct Registers: SimulatedChip {
    let address: UInt8
    var contents: [UInt8: UInt8]
    private var pointer: UInt8 = 0

    init(_ address: UInt8, _ contents: [UInt8: UInt8]) {
        self.address = address
        self.contents = contents
    }

    mutating func advance(to now: MonotonicTime) {}
    mutating func write(_ bytes: [UInt8]) { pointer = bytes.first ?? 0 }
    mutating func read(_ count: Int) -> [UInt8] { (0..<count).map { contents[pointer &+ UInt8($0)] ?? 0 } }
    mutating func powerCycle(at now: MonotonicTime) {}
}

/// A bus on which each address answers with zeros, or with an error.
private struct AllAnswer: I2CBus {
    var error: I2CError?
    var taken: [UInt8] = []
    /// One address that answers with another byte, or not at all.
    var exception: (address: UInt8, byte: UInt8?)?

    func isTakenByKernel(_ address: UInt8) -> Bool { taken.contains(address) }

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        if let error { throw error }
        var byte: UInt8? = 0
        if let exception, exception.address == address { byte = exception.byte }
        guard let byte else { throw .noAcknowledge(address: address) }
        var count = 0
        for case .read(let length) in operations { count += length }
        return [UInt8](repeating: byte, count: count)
    }
}

private func survey(_ chips: [any SimulatedChip], prepare: (SimulatedI2CBus) -> Void = { _ in }) -> (
    BusSurvey, SimulatedI2CBus
) {
    let bus = SimulatedI2CBus(chips: chips, keepsLog: true) { .zero }
    prepare(bus)
    return (BusSurvey(of: bus, named: "i2c-1"), bus)
}

@Suite struct BusSurveyTests {
    /// The chip itself is always among the candidates, wherever it can be.
    @Test(arguments: ChipCatalog.chips.map(\.name)) func everyChipOfTheCatalogIsFound(_ name: String) throws {
        let identity = try ChipCatalog.chip(named: name).identity
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(1))
        for address in identity.addresses {
            let twin = try #require(SimulatedCatalog.chip(named: name))
            let (survey, bus) = survey([twin.make(address, surroundings, Specimen(), .zero)])
            #expect(survey.findings.map(\.address) == [address])
            #expect(survey.finding(at: address)?.canBe(name.lowercased()) == true, "\(survey)")
            #expect(survey.fault == nil && survey.lines.first?.hasPrefix("i2c-1 0x") == true)
            // Never a data byte, and only at known addresses.
            for transaction in bus.log {
                guard case .write(let bytes)? = transaction.operations.first, case .read? = transaction.operations.last
                else {
                    Issue.record("\(transaction.operations)")
                    continue
                }
                #expect(bytes.count == 1 && transaction.operations.count == 2)
                #expect(BusSurvey.addresses.contains(transaction.address))
            }
        }
    }

    @Test(
        arguments: [
            (
                Registers(0x18, [0x0F: 0x33]), ["LIS3DH", "LIS2DH12"],
                "common to LIS3DH, LIS2DH12, which nothing"
            ),
            (
                Registers(0x19, [0x0F: 0x33]), ["LIS3DH", "LIS2DH12", "LSM303AGR-accel", "LSM303DLHC-accel"],
                "board file must name"
            ),
            (Registers(0x1C, [0x0F: 0x3D]), ["LIS3MDL", "LSM9DS1-magn"], "LIS3MDL, LSM9DS1-magn"),
            (Registers(0x1E, [0x0F: 0x3D]), ["LIS3MDL", "LSM9DS1-magn"], "board file must name"),
            (
                Registers(0x1E, [0x0A: 0x48, 0x0B: 0x34, 0x0C: 0x33]), ["HMC5883L", "LSM303DLHC-magn"],
                "0x0A reads 0x48 0x34 0x33"
            ),
            (Registers(0x1E, [0x4F: 0x40]), ["LIS2MDL", "LSM303AGR-magn"], "0x4F reads 0x40"),
            (Registers(0x0D, [0x0D: 0xFF]), ["QMC5883L"], "bad contact"),
            (Registers(0x5A, [0x00: 0xE0]), ["DRV2605L"], "0x00 reads 0xE0"),
            (Registers(0x5A, [0x00: 0x68]), ["DRV2605"], "0x00 reads 0x68"),
            (Registers(0x68, [0x75: 0x68]), ["MPU-6050"], "0x75 reads 0x68"),
            (Registers(0x69, [0x75: 0x73]), ["MPU-9250"], "0x75 reads 0x73"),
            (Registers(0x68, [0x00: 0x59, 0x75: 0x12]), ["DS3231", "PCF8523"], "strapped to 0x69"),
            (Registers(0x68, [0x00: 0x24]), ["BMI270", "DS3231", "PCF8523"], "seconds happened to read 0x24"),
            (Registers(0x69, [0x00: 0x24]), ["BMI270"], "configuration image"),
            (Registers(0x53, [0x00: 0x12]), [], "correct the address pins"),
        ] as [(Registers, [String], String)])
    private func chipsThatReadAlikeAreAllNamed(_ chip: Registers, _ names: [String], _ text: String) throws {
        let (survey, _) = survey([chip])
        let finding = try #require(survey.finding(at: chip.address))
        #expect(finding.candidates == names)
        #expect(finding.description.contains(text), "\(finding)")
        #expect(finding.description.contains("configuration image") == names.contains("BMI270"))
    }

    /// Until then it may show a wrong identity.
    @Test func theDataOfAQMC5883LIsReadBeforeItsIdentity() {
        let (_, bus) = survey([SimulatedQMC5883L(field: wave(1))])
        let asked = bus.log.filter { $0.address == 0x0D }.map(\.operations)
        #expect(asked.first == [.write([0x00]), .read(6)] && asked.contains([.write([0x0D]), .read(1)]))
    }

    @Test func anAddressThatTheKernelOwnsIsNamedAndNotTouched() {
        let (survey, bus) = survey([SimulatedLIS3DH(acceleration: wave(1))]) { $0.bindToKernel(address: 0x18) }
        #expect(survey.finding(at: 0x18)?.state == .taken && survey.finding(at: 0x18)?.canBe("LIS3DH") == nil)
        #expect(survey.description.contains("i2c-1 0x18: a kernel driver owns the address"))
        #expect(!bus.log.contains { $0.address == 0x18 })
    }

    /// An adapter that has SMBus calls only cannot be asked beforehand: it says so itself.
    @Test func anAddressThatIsBusyIsTaken() {
        struct Busy: I2CBus {
            func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
                throw .system(errno: 16, address: address)
            }
        }
        #expect(BusSurvey(of: Busy(), named: "i2c-1").findings.allSatisfy { $0.state == .taken })
    }

    /// What goes wrong at one address is no word about the others, and no chip can be known by it. 5 is EIO.
    @Test(
        arguments: [
            (.system(errno: 5, address: 0x18), true), (.unsupported("a read"), true),
            (.noAcknowledge(address: 0x18), false),
        ] as [(I2CError, Bool)]) func aFaultOfAnAddressIsItsFinding(_ error: I2CError, isFound: Bool)
    {
        struct Failing: I2CBus {
            let error: I2CError
            func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
                throw error
            }
        }
        let survey = BusSurvey(of: Failing(error: error), named: "i2c-1")
        #expect(survey.fault == nil && (survey.findings.count > 1) == isFound)
        for finding in survey.findings {
            #expect(finding.state == .failed(error) && finding.canBe("LIS3DH") == nil && finding.evidence.isEmpty)
            #expect(finding.description.contains("reading failed"))
        }
    }

    @Test func aBusHeldLowIsLeftAfterTheFirstTimeout() {
        let (survey, bus) = survey([]) { $0.inject(.stuck(during: .zero..<at(1))) }
        #expect(survey.fault == .timeout(address: BusSurvey.addresses[0]) && bus.log.count == 1)
        #expect(survey.description.contains("SDA or SCL is held low"))
    }

    /// A short circuit from SDA to ground. With a Raspberry Pi's i2c-bcm2835 every address answers, with zeros: the driver
    /// knows of a missing acknowledgement and of a stretched clock alone (Linux 6.1.192,
    /// drivers/i2c/busses/i2c-bcm2835.c:41-51 and 376-381; seen with i2cdetect: raspberrypi.stackexchange.com/questions/113402). A
    /// Raspberry Pi 5 says EAGAIN (drivers/i2c/busses/i2c-designware-common.c, DW_IC_TX_ARB_LOST;
    /// github.com/raspberrypi/linux/issues/7104).
    @Test(arguments: [I2CError?.none, .arbitrationLost(address: 0x18)], [[], [0x18, 0x68]] as [[UInt8]])
    func aBusOnWhichEveryAddressAnswersIsHeldLow(_ error: I2CError?, taken: [UInt8]) {
        let survey = BusSurvey(of: AllAnswer(error: error, taken: taken), named: "i2c-1")
        #expect(survey.fault == .timeout(address: BusSurvey.addresses[0]))
        #expect(survey.findings.map(\.address) == taken)
        #expect(survey.description.contains("SDA or SCL is held low"))
    }

    /// One address that answers otherwise, or not at all, shows that the line moves.
    @Test(arguments: [0x33, nil] as [UInt8?]) func aLineThatMovesOnceIsNotHeldLow(_ byte: UInt8?) {
        let survey = BusSurvey(of: AllAnswer(exception: (0x19, byte)), named: "i2c-1")
        #expect(survey.fault == nil)
        #expect(survey.findings.count == BusSurvey.addresses.count - (byte == nil ? 1 : 0))
    }

    /// Nothing is known of the line where all addresses are the kernel's.
    @Test func aBusOfTheKernelAloneIsNotHeldLow() {
        #expect(BusSurvey(of: AllAnswer(taken: BusSurvey.addresses), named: "i2c-1").fault == nil)
    }

    @Test func anEmptyBusSaysWhatToCheck() {
        #expect(
            survey([]).0.description
                == "i2c-1: no known chip responds; check the 3.3 V supply, ground, SDA and SCL, and the pull-ups")
    }

    @Test func aMagnetometerBehindAnOpenSwitchIsNoFault() {
        let (survey, _) = survey([Registers(0x69, [0x75: 0x71])])
        #expect(
            survey.lines.last?.hasPrefix("i2c-1 0x0C: the AK8963 inside the MPU-9250 is behind its bypass switch")
                == true)
    }
}
