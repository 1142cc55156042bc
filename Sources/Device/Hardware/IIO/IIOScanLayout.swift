// SPDX-License-Identifier: Apache-2.0

/// Where the enabled channels lie in one scan: `IIOBuffer` makes it, `IIOReader` takes samples apart by it.
package struct IIOScanLayout: Sendable, Hashable {
    package struct Element: Sendable, Hashable {
        /// `accel_x`, `timestamp`.
        package let name: String
        package let type: IIOSampleType
        package let offset: Int
    }

    /// In the order of the scan.
    package let elements: [Element]
    /// Bytes of one scan, with its padding.
    package let size: Int

    /// The scan of these channels, by their `index`. The kernel puts every value at a multiple of
    /// its size, and lengthens the scan to a multiple of its largest.
    package init(_ channels: [(name: String, index: Int, type: IIOSampleType)]) {
        var elements: [Element] = []
        var end = 0
        for channel in channels.sorted(by: { $0.index < $1.index }) {
            let offset = Self.aligned(end, to: channel.type.bytes)
            elements.append(Element(name: channel.name, type: channel.type, offset: offset))
            end = offset + channel.type.bytes
        }
        self.elements = elements
        size = Self.aligned(end, to: channels.map(\.type.bytes).max() ?? 1)
    }

    package func element(_ name: String) -> Element? { elements.first { $0.name == name } }

    private static func aligned(_ offset: Int, to size: Int) -> Int { (offset + size - 1) / size * size }
}
