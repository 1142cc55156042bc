// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import usb_i2c_adapter

@Suite struct RedirStreamTests {
    @Test(arguments: [false, true]) func messagesComeBackAsTheyWereSent(_ isWide: Bool) throws {
        var stream = RedirStream()
        stream.hasWideIDs = isWide
        let packets = [RedirPacket(.control, id: 7, [1, 2, 3]), RedirPacket(.hello), RedirPacket(.reset, id: 9)]
        let bytes = packets.flatMap { stream.bytes(of: $0) }
        var taken: [RedirPacket] = []
        for byte in bytes {
            stream.append([byte])
            while let packet = try stream.next() { taken.append(packet) }
        }
        #expect(taken == packets)
        #expect(bytes.count == (isWide ? 16 : 12) * 3 + 3)
    }

    @Test func impossibleLengthIsRefused() {
        var stream = RedirStream()
        stream.append(little(UInt32(100)) + little(UInt32.max) + little(UInt32(0)))
        #expect(throws: AdapterError.self) { try stream.next() }
    }

    @Test func numbersAreLowestByteFirst() {
        #expect(little(UInt32(0x1234_5678)) == [0x78, 0x56, 0x34, 0x12])
        #expect(number([0x78, 0x56, 0x34, 0x12]) == 0x1234_5678)
    }
}
