// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit
import Testing

@testable import Device

@Suite struct LinuxI2CBusTests {
    @Test(arguments: [
        (ENXIO, I2CError.noAcknowledge(address: 0x18)), (EREMOTEIO, .noAcknowledge(address: 0x18)),
        (EAGAIN, .arbitrationLost(address: 0x18)), (ETIMEDOUT, .timeout(address: 0x18)), (ENODEV, .busVanished),
        (EIO, .system(errno: EIO, address: 0x18)),
    ]) func theKernelsWordsAreTranslated(_ code: CInt, _ error: I2CError) {
        #expect(LinuxI2CBus.error(code, address: 0x18) == error)
    }

    @Test(arguments: ["/dev/i2c-99", "/dev/null"]) func whatIsNoAdapterIsNamed(_ path: String) {
        let error = #expect(throws: SystemError.self) { _ = try LinuxI2CBus(path: path) }
        #expect(error?.place == path)
    }
}
