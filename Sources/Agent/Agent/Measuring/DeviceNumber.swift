// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A stable number of this device, from the machine id: `MeasuringControl` has it written into recordings, and
/// `LiveSettings` names the device by it at the broker. The upper half is never 0xFFFF, which in CWA files means
/// that there is none.
enum DeviceNumber {
    static func read(path: String = "/etc/machine-id") -> UInt32 {
        let text = (try? BoundedFile.text(path)) ?? ""
        let number = UInt32(text.prefix(8), radix: 16) ?? 1
        return number >> 16 == 0xFFFF ? number & 0xFFFE_FFFF : number
    }
}
