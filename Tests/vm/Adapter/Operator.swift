// SPDX-License-Identifier: Apache-2.0

/// What a test asks of the adapter, one line each: `unplug`, `plug`, `silence 0x18`, `wake 0x18`,
/// `power 0x18`, `stall`, `unstall`, `count`, `turns`, `fit LIS3DH@0x18 LIS3MDL@0x1E`.
enum Operator: Sendable, Hashable {
    /// The adapter is pulled out, or put back; with it the chips lose their supply.
    case unplug, plug
    /// A chip no longer acknowledges, or does again.
    case silence(UInt8)
    case wake(UInt8)
    /// A chip's supply is interrupted for a moment.
    case power(UInt8)
    /// Every transfer fails, or no longer.
    case stall(Bool)
    /// How many I2C messages came.
    case count
    /// How often the motor of a DRV2605L has begun to turn.
    case turns
    /// Other chips take the place of those there are; who gives the order unplugs
    /// the adapter before.
    case fit([String])

    /// Throws with what could have been meant.
    init(_ line: String) throws(AdapterError) {
        let words = line.split(separator: " ").map(String.init)
        if words.first == "fit", words.count > 1 {
            self = .fit(Array(words.dropFirst()))
            return
        }
        let address = words.count == 2 ? parse(address: words[1]) : nil
        switch (words.first, address) {
        case ("unplug", nil): self = .unplug
        case ("plug", nil): self = .plug
        case ("stall", nil): self = .stall(true)
        case ("unstall", nil): self = .stall(false)
        case ("count", nil): self = .count
        case ("turns", nil): self = .turns
        case ("silence", let address?): self = .silence(address)
        case ("wake", let address?): self = .wake(address)
        case ("power", let address?): self = .power(address)
        default:
            throw AdapterError(
                "'\(line)' is none of: unplug, plug, stall, unstall, count, turns, silence ADDRESS, wake ADDRESS, "
                    + "power ADDRESS, fit CHIP@ADDRESS..."
            )
        }
    }
}
