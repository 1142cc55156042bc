// SPDX-License-Identifier: Apache-2.0

/// A colour of light, 0 (dark) to 255 per component.
public struct LightColour: Sendable, Hashable {
    /// Red, 0...255.
    public let red: UInt8
    /// Green, 0...255.
    public let green: UInt8
    /// Blue, 0...255.
    public let blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Dark.
    public static let off = LightColour(red: 0, green: 0, blue: 0)
    /// All components full.
    public static let white = LightColour(red: 255, green: 255, blue: 255)
    /// The brightest component: what a light of one colour shows.
    public var brightness: UInt8 { max(red, green, blue) }
}
