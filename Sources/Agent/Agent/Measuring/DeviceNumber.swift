// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A stable number of this device, for formats that carry one: from the machine id. The upper half is
/// never 0xFFFF, which in CWA means that there is none.
enum DeviceNumber {
    static func read(path: String = "/etc/machine-id") -> UInt32 {
        let text = (try? BoundedFile.text(path)) ?? ""
        let number = UInt32(text.prefix(8), radix: 16) ?? 1
        return number >> 16 == 0xFFFF ? number & 0xFFFE_FFFF : number
    }
}
