// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

extension LinuxI2CBus {
    /// True when a driver of the kernel is bound to the address: `i2cdetect` prints it as `UU`.
    ///
    /// I2C_RDWR does not ask and would talk to the chip behind its driver's back; I2C_SLAVE does
    /// ask (EBUSY). It is done on a separate descriptor, so that the address of no other transfer
    /// changes. Sends nothing. Any thread.
    package func isTakenByKernel(_ address: UInt8) -> Bool {
        guard let adapter = try? Descriptor(opening: path, flags: O_RDWR) else { return false }
        return clinux_i2c_address(adapter.rawValue, UInt(address)) < 0 && SystemError.last("").code == EBUSY
    }
}

extension I2CError {
    /// A driver of the kernel owns the address.
    package var isBusy: Bool {
        if case .system(EBUSY, _) = self { true } else { false }
    }
}
