// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Agent
@testable import Device

@Suite struct DeviceNumberTests {
    /// The eight digits that machine-id(5) begins with. openmovement's cwa.h: an upper half of 0xFFFF is of the
    /// old devices that had none.
    @Test(
        arguments: [
            ("0123abcd", 0x0123_ABCD), ("ffff1234", 0xFFFE_1234), ("ffffffff", 0xFFFE_FFFF), ("fffe1234", 0xFFFE_1234),
            ("1234ffff", 0x1234_FFFF), ("what is this", 1),
        ] as [(String, UInt32)])
    func aDeviceHasTheNumberThatItsFilesHave(id: String, number: UInt32) throws {
        let path = NSTemporaryDirectory() + "machine-id-\(UUID().uuidString)"
        try (id + "00112233445566778899aabb\n").write(toFile: path, atomically: false, encoding: .utf8)
        defer { unlink(path) }
        #expect(DeviceNumber.read(path: path) == number)
        let header = CWAHeader(
            hardwareType: 0x17, deviceID: number, sessionID: 1, sensorConfig: 0, rateCode: 0x4A, start: nil,
            annotations: [])
        #expect(CWAHeader(header.bytes)?.deviceID == number)
    }
}
