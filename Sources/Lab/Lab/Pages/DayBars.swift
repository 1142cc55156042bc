// SPDX-License-Identifier: Apache-2.0
import Base

/// A bar for each of the latest days, in a row of the `ParticipantTable`: answered, not answered, missed. One
/// path for each of the three, so that a page of a hundred rows stays small.
struct DayBars {
    let days: [PromptDay]
    let count: Int
    let now: Instant

    private static let most = 28
    private static let height = 26

    var html: HTML {
        let shown = min(count, Self.most)
        // Up to tomorrow by UTC, which a participant's clock may show already.
        let first = LocalDateTime(now, offset: 0).date.daysSinceEpoch + 1 - shown
        let days = days.filter { (0...shown).contains($0.day.daysSinceEpoch - first) }
        let highest = max(1, days.map(\.over).max() ?? 1)
        var (answered, other, missed) = ("", "", "")
        for day in days {
            let place = day.day.daysSinceEpoch - first
            var top = Self.height
            func bar(_ count: Int) -> String {
                guard count > 0 else { return "" }
                let high = max(2, Self.height * count / highest)
                top -= high
                // 5 wide, in a column of 6; bars of one day are stacked from the bottom.
                return "M\(place * 6) \(top)h5v\(high)h-5z"
            }
            answered += bar(day.answered)
            other += bar(day.over - day.answered - day.missed)
            missed += bar(day.missed)
        }
        let width = (shown + 1) * 6
        return """
            <svg class="days" viewBox="0 0 \(width) \(Self.height)" style="width:\(width)px" role="img" aria-label="by day"><path d="\(
            answered)" fill="var(--a)"/><path d="\(other)" fill="var(--c)"/><path d="\(missed)" fill="var(--bad)"/></svg>
            """
    }
}
