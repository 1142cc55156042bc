// SPDX-License-Identifier: Apache-2.0

/// How a piece of text of the drawn board looks on a terminal (ECMA-48 SGR).
package struct TextStyle: Sendable, Hashable {
    /// A colour as red, green and blue, each 0...255.
    package struct Colour: Sendable, Hashable {
        package let red: Int
        package let green: Int
        package let blue: Int

        package init(_ red: Int, _ green: Int, _ blue: Int) { (self.red, self.green, self.blue) = (red, green, blue) }
    }
    /// nil = the terminal's own.
    var background: Colour?
    var isBold = false
    var isDim = false
    var isReversed = false
    /// The text has the colour of its background: an area, with letters that show only where there
    /// are no colours.
    var isSolid = false

    static let plain = TextStyle()
    static let bold = TextStyle(isBold: true)
    static let dim = TextStyle(isDim: true)
    static let reversed = TextStyle(isReversed: true)

    /// The control sequence that sets it, from whatever was set before; without colours where
    /// they are not wanted.
    func sequence(colours: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReversed { codes.append("7") }
        if colours, let background {
            let colour = "2;\(background.red);\(background.green);\(background.blue)"
            // How bright it looks, 0...2550; letters on it are black or white.
            let isLight = background.red * 3 + background.green * 6 + background.blue > 1_000
            codes.append("48;\(colour);" + (isSolid ? "38;\(colour)" : isLight ? "30" : "97"))
        }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}
