// SPDX-License-Identifier: Apache-2.0
import Base

/// The zones of the participant's wall clock, so that a moment at which the device was on is looked at in the
/// zone that it had then. For `RuleEngine`. Pure.
struct RuleZones: Sendable {
    let present: Zone
    /// From then on no point falls due, by the present zone; nil = they go on.
    let end: Instant?
    /// When this run of the agent began: from then on the zone is the present one, also where a clock that was wrong
    /// dated an earlier zone's end later.
    var start: Instant?
    /// The zones before, oldest first.
    private var before: [(zone: Zone, end: Instant?, until: Instant)] = []

    init(_ present: Zone, end: Instant?) { (self.present, self.end) = (present, end) }

    /// The wall clock was in that zone until then, where the rules end at `end`; after that in the next one.
    /// An earlier zone that was dated later is over by then.
    mutating func add(_ zone: Zone, end: Instant?, until: Instant) {
        for place in before.indices { before[place].until = min(before[place].until, until) }
        before.append((zone, end, until))
    }

    /// What the wall clock showed at a moment.
    func local(_ time: Instant) -> LocalDateTime { period(at: time).zone.local(time) }

    /// Whether a point may fall due then: not in quiet hours, nor after the end.
    func isActive(_ due: Instant, besides quiet: QuietHours) -> Bool {
        let (zone, end) = period(at: due)
        return end.map { due < $0 } ?? true && !quiet.contains(zone.local(due).time)
    }

    /// Days after which a search gives up: quiet hours and periods repeat daily, in each zone.
    var mostDays: Int { before.count + 2 }

    private func period(at time: Instant) -> (zone: Zone, end: Instant?) {
        guard start.map({ time < $0 }) ?? true, let stay = before.first(where: { time <= $0.until }) else {
            return (present, end)
        }
        return (stay.zone, stay.end)
    }
}
