// SPDX-License-Identifier: Apache-2.0

/// How an IIO device says its temperature, for `IIOReader`. Pure.
///
/// Source: the kernel's Documentation/ABI/testing/sysfs-bus-iio: what is read, plus the offset,
/// times the scale is thousandths of a degree Celsius.
package struct IIOThermometer: Sendable, Hashable {
    /// The sysfs file to be read, unless `isScanned`.
    package let attribute: String
    /// Added to what is read.
    package var offset = 0.0
    /// Thousandths of a degree Celsius per count.
    package var scale = 1.0
    /// The temperature comes with each scan of the buffer, as its element `temp`.
    package var isScanned = false

    /// Degrees Celsius that a working chip can have.
    private static let possible = -60.0...140.0

    /// Degrees Celsius; nil for what no working chip can have.
    package func degrees(_ value: Double) -> Double? {
        let degrees = (value + offset) * scale / 1000
        return Self.possible.contains(degrees) ? degrees : nil
    }

    func degrees(text: String) -> Double? { Double(text).flatMap { degrees($0) } }
}
