// SPDX-License-Identifier: Apache-2.0

/// A rectangle of pixels, counted from the upper left corner.
package struct PixelArea: Sendable, Hashable {
    /// Column of its left edge, from 0.
    package let x: Int
    /// Row of its upper edge, from 0.
    package let y: Int
    package let width: Int
    package let height: Int

    /// A rectangle; one pixel unless said otherwise. Negative places become 0, empty sizes 1.
    package init(x: Int, y: Int, width: Int = 1, height: Int = 1) {
        self.x = max(0, x)
        self.y = max(0, y)
        self.width = max(1, width)
        self.height = max(1, height)
    }

    /// `x,y` is one pixel, `x,y,WxH` a rectangle; nil when the text is neither.
    package init?(parsing text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), let x = Self.number(parts[0], from: 0),
            let y = Self.number(parts[1], from: 0)
        else { return nil }
        guard parts.count == 3 else {
            self.init(x: x, y: y)
            return
        }
        let size = parts[2].split(separator: "x", omittingEmptySubsequences: false).map(String.init)
        guard size.count == 2, let width = Self.number(size[0], from: 1), let height = Self.number(size[1], from: 1)
        else { return nil }
        self.init(x: x, y: y, width: width, height: height)
    }

    /// At most the largest screen there is; a sum of two of them cannot overflow.
    private static func number(_ text: String, from least: Int) -> Int? {
        UInt16(text).map(Int.init).flatMap { $0 >= least ? $0 : nil }
    }
}
