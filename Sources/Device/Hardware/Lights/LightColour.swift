// SPDX-License-Identifier: Apache-2.0

/// A colour that `SignalPlayer` shows on an `Indicator`, 0 (dark) to 255 per component.
package struct LightColour: Sendable, Hashable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    package static let off = LightColour(red: 0, green: 0, blue: 0)
    package static let white = LightColour(red: 255, green: 255, blue: 255)
    /// The brightest component: what a light of one colour shows.
    package var brightness: UInt8 { max(red, green, blue) }
}
