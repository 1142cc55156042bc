// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing

@testable import Device

/// Registers of a host at 0x69, and what is written to them.
private final class HostBus: I2CBus {
    private let registers: Mutex<[UInt8: UInt8]>
    private let writes = Mutex<[[UInt8]]>([])

    init(_ registers: [UInt8: UInt8]) { self.registers = Mutex(registers) }

    var written: [[UInt8]] { writes.withLock { $0 } }

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        guard address == 0x69, case .write(let bytes)? = operations.first else {
            throw .noAcknowledge(address: address)
        }
        guard bytes.count == 1 else {
            writes.withLock { $0.append(bytes) }
            return []
        }
        return [registers.withLock { $0[bytes[0]] ?? 0 }]
    }
}

/// InvenSense's register maps of MPU-9250 and ICM-20948: PWR_MGMT_1 b6 is SLEEP, USER_CTRL b5 I2C_MST_EN,
/// INT_PIN_CFG b1 BYPASS_EN; the bypass works while I2C_MST_EN is 0.
@Suite struct BypassHostTests {
    /// What the three hold before, what is written to each, and whether the switch is closed then.
    private static let cases: [(power: UInt8, user: UInt8, pins: UInt8, written: [UInt8?], isClosed: Bool)] = [
        (0x01, 0x00, 0x00, [nil, nil, 0x02], true), (0x01, 0x40, 0x02, [nil, nil, nil], true),
        (0x01, 0x60, 0x02, [nil, 0x40, nil], true), (0x01, 0x20, 0x80, [nil, 0x00, 0x82], true),
        (0x01, 0xDF, 0xFD, [nil, nil, 0xFF], true), (0x41, 0x20, 0x00, [0x01, nil, nil], false),
    ]

    @Test(arguments: BypassHost.all, cases.indices)
    func onlyWhatIsInTheWayOfTheSwitchIsWritten(_ host: BypassHost, _ index: Int) throws {
        let (power, user, pins, written, isClosed) = Self.cases[index]
        let registers = [host.powerRegister, host.userControl, host.pinRegister]
        let bus = HostBus([
            host.identity.register: host.identity.values[0], registers[0]: power, registers[1]: user,
            registers[2]: pins,
        ])
        #expect(try host.closeSwitch(on: bus) == isClosed)
        #expect(bus.written == zip(registers, written).compactMap { register, value in value.map { [register, $0] } })
    }

    @Test(arguments: BypassHost.all) func aStrangerInThePlaceOfTheHostIsNotWrittenTo(_ host: BypassHost) throws {
        let bus = HostBus([host.identity.register: 0x12, host.userControl: 0x20])
        #expect(try !host.closeSwitch(on: bus))
        #expect(bus.written.isEmpty)
    }
}
