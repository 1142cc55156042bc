// SPDX-License-Identifier: Apache-2.0
import Base

/// A rhythm drawn for `CardSheet`: time goes to the right, a bar is on.
package struct RhythmDrawing: Sendable {
    private let rhythm: Rhythm
    private let words: Words
    /// Pixels per second of signal.
    private static let scale = 34.0
    private static let height = 12.0
    /// A row ends here, between two groups.
    private static let mostWidth = 290.0

    package init(_ rhythm: Rhythm, in words: Words) { (self.rhythm, self.words) = (rhythm, words) }

    /// An inline SVG that wraps between groups.
    package var svg: String {
        var bars = ""
        var (x, y, width) = (0.0, 0.0, 0.0)
        for group in rhythm.groups {
            if x > 0, x + Self.width(group) > Self.mostWidth { (x, y) = (0, y + Self.height + 5) }
            for beat in group {
                let length = max(beat.duration.seconds * Self.scale, 2)
                let shape = "<rect x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" width=\"\(Self.text(length))\""
                bars += shape + " height=\"12\" rx=\"\(beat == .blip ? 0.5 : 2.5)\"/>"
                width = max(width, x + length)
                x += length + Rhythm.gap.seconds * Self.scale
            }
            x += (Rhythm.pause - Rhythm.gap).seconds * Self.scale
        }
        let (wide, high) = (Self.text(width), Self.text(y + Self.height))
        return
            "<svg role=\"img\" aria-label=\"\(Markup.escaped(spoken))\" viewBox=\"0 0 \(wide) \(high)\" width=\"\(wide)\" height=\"\(high)\">\(bars)</svg>"
    }

    /// The rhythm in words, for those who read with their ears.
    private var spoken: String {
        rhythm.groups.map { group in
            group.map { beat in
                switch beat {
                case .blip: words(RhythmPhrases.blip)
                case .short: words(RhythmPhrases.short)
                case .long: words(RhythmPhrases.long)
                case .extra: words(RhythmPhrases.extra)
                }
            }.joined(separator: " ")
        }.joined(separator: ", ")
    }

    private static func width(_ group: [Beat]) -> Double {
        group.reduce(0) { $0 + (max($1.duration.seconds * scale, 2) + Rhythm.gap.seconds * scale) }
    }

    private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// The beats of a rhythm by their names.
enum RhythmPhrases {
    static let blip = Phrase("blip")
    static let short = Phrase("short")
    static let long = Phrase("long")
    static let extra = Phrase("extra long")
}
