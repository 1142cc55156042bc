// SPDX-License-Identifier: Apache-2.0
import Base

/// Rows of a day from midnight to midnight, as wide as the window: names and numbers are text, and only the
/// bars are drawn, so that they can be stretched. `Actogram` and `DayPage` draw by it.
enum DayLanes {
    /// Seconds of what is drawn.
    private static let width = 86_400

    static let hours: HTML = """
        <div class="lane hours" aria-hidden="true"><span></span><div><span>0</span><span>6</span><span>12</span><span>18</span><span>24</span></div><span></span></div>
        """

    /// A row; `words` say what its shapes show.
    static func lane(_ name: String, words: String, shapes: HTML, end: HTML = .none) -> HTML {
        """
        <div class="lane"><span>\(name)</span><svg viewBox="0 0 \(width) 16" preserveAspectRatio="none" role="img" aria-label="\(name): \(words)"><path
        d="M21600 0v16M43200 0v16M64800 0v16" class="tick" vector-effect="non-scaling-stroke"/>\(shapes)</svg><span>\(end)</span></div>
        """
    }

    /// Bars in seconds after midnight, at least a minute wide so that they are seen; `colour` is a
    /// variable of the style sheet.
    static func path(_ bars: [Range<Int>], colour: String, top: Int = 1, height: Int = 14) -> HTML {
        guard !bars.isEmpty else { return .none }
        let shapes = bars.map { bar in
            "M\(bar.lowerBound) \(top)h\(max(60, bar.count))v\(height)h-\(max(60, bar.count))z"
        }
        return "<path d=\"\(shapes.joined())\" fill=\"var(--\(colour))\"/>"
    }

    /// Moments in minutes after midnight, as bars of ten minutes, so that they are seen at 360 pixels.
    static func marks(_ minutes: [Int], colour: String, top: Int = 1, height: Int = 14) -> HTML {
        path(minutes.map { ($0 * 60)..<($0 * 60 + 600) }, colour: colour, top: top, height: height)
    }

    /// `00:00–09:12, 10:00–24:00`; of many the first.
    static func words(_ bars: [Range<Int>]) -> String {
        let shown = bars.prefix(12).map(words).joined(separator: ", ")
        return bars.count > 12 ? "\(shown) and \(bars.count - 12) more" : shown
    }

    /// `09:12–10:00`, of seconds after midnight.
    static func words(_ bar: Range<Int>) -> String {
        "\(LabQuery.clock(bar.lowerBound / 60))–\(LabQuery.clock(bar.upperBound / 60))"
    }
}
