// SPDX-License-Identifier: Apache-2.0
import CLinux

/// Why a transaction on an I2C bus failed: drivers throw it on, and `SampledDevice` makes a `SensorFault` of
/// it.
package enum I2CError: Error, Sendable, Hashable {
    /// No answer at the address: not fitted, not powered, or the wrong address.
    case noAcknowledge(address: UInt8)
    /// Another master won the bus.
    case arbitrationLost(address: UInt8)
    /// A line was held low for too long.
    case timeout(address: UInt8)
    case busVanished
    case unsupported(String)
    /// Anything else the kernel said.
    case system(errno: CInt, address: UInt8)

    /// A driver of the kernel owns the address.
    package var isBusy: Bool {
        if case .system(EBUSY, _) = self { true } else { false }
    }
}
