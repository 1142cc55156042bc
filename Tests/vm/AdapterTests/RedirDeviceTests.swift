// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import usb_i2c_adapter

@Suite struct RedirDeviceTests {
    private static let none: @Sendable (UInt8, [UInt8]?, Int) -> TinyUSB.Outcome = { _, _, _ in .failed }

    private func greeted(capabilities: UInt32) -> RedirDevice {
        var device = RedirDevice()
        let hello = RedirPacket(.hello, [UInt8](repeating: 0, count: 64) + little(capabilities))
        #expect(device.answer(hello, Self.none).isEmpty)
        return device
    }

    @Test func deviceAppearsAfterTheHelloOnly() {
        var silent = RedirDevice()
        #expect(silent.plug().isEmpty)
        var device = greeted(capabilities: RedirCapability.wideIDs)
        #expect(device.hasWideIDs && !device.isPlugged)
        #expect(device.plug().map(\.kind) == [.endpointInfo, .interfaceInfo, .deviceConnect])
        #expect(device.plug().isEmpty)
        #expect(device.unplug().map(\.kind) == [.deviceDisconnect])
        #expect(!device.isPlugged && device.plug().count == 3)
    }

    @Test func endpointAndInterfaceTablesHaveTheirLengths() {
        var device = greeted(capabilities: 0)
        let packets = device.plug()
        #expect(!device.hasWideIDs)
        #expect(packets[0].body.count == 32 * 3 + 32 * 2 && packets[1].body.count == 4 + 32 * 4)
        #expect(packets[2].body.count == 10)
    }

    @Test func transferIsAnsweredUnderItsId() {
        var device = greeted(capabilities: 0)
        _ = device.plug()
        let body: [UInt8] = [0x80, 7, 0xC1, 0] + little(UInt16(1)) + little(UInt16(0x18)) + little(UInt16(2))
        let replies = device.answer(RedirPacket(.control, id: 42, body)) { _, _, _ in .bytes([0x33, 0x44]) }
        #expect(replies == [RedirPacket(.control, id: 42, body + [0x33, 0x44])])
        let refused = device.answer(RedirPacket(.control, id: 43, body), Self.none)
        #expect(refused.first?.body[3] == 4 && refused.first?.id == 43)
        #expect(device.answer(RedirPacket(.control, id: 44, [1, 2]), Self.none).isEmpty)
    }
}
