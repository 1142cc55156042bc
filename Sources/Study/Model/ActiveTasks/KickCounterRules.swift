// SPDX-License-Identifier: Apache-2.0

/// How long and how far a kick counter counts: read by MyStudies' reader, for `KickCounterStep`.
package struct KickCounterRules: ActiveTaskRules {
    /// How long after its first press counting ends; up to a day.
    package let duration: Duration
    /// Counting ends with this kick.
    package let count: Int

    package init(duration: Duration, count: Int) { (self.duration, self.count) = (duration, count) }

    package var name: String { "fetalKickCounter" }
    package var title: Phrase { Phrase("Fetal Kick Counter") }

    package var problems: [String] {
        var problems: [String] = []
        if duration <= .zero || duration > .seconds(86_400) { problems.append("the duration is not within a day") }
        if !(1...9_999).contains(count) { problems.append("the count of kicks is outside 1 to 9999") }
        return problems
    }
}
