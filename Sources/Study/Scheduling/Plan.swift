// SPDX-License-Identifier: Apache-2.0
import Base

/// Everything one participant is due to do, as far as it is known now. `Planner` makes it, and `Scheduler`
/// runs it; a later plan replaces an earlier one by the functions below.
package struct Plan: Sendable {
    /// By key; only tasks of the participant's arm.
    package let tasks: [String: StudyTask]
    /// By time; equal times in the order of the file.
    package let occurrences: [Occurrence]
    /// Since when the study is this version; nil = since the enrolment, or that does not matter.
    private let versionSince: Instant?

    /// A plan of these occurrences, which must be in time order.
    package init(tasks: [StudyTask], occurrences: [Occurrence], versionSince: Instant? = nil) {
        self.tasks = Dictionary(tasks.map { ($0.key, $0) }) { first, _ in first }
        self.occurrences = occurrences
        self.versionSince = versionSince
    }

    /// The same plan with other occurrences, in time order.
    private func with(_ occurrences: [Occurrence]) -> Plan {
        Plan(tasks: Array(tasks.values), occurrences: occurrences, versionSince: versionSince)
    }

    /// The plan without the occurrences of these tasks.
    func without(_ retired: Set<String>) -> Plan {
        guard !retired.isEmpty else { return self }
        return with(occurrences.filter { !retired.contains($0.task) })
    }

    /// This plan, in which occurrences that fell due under an earlier plan keep their times: an occurrence
    /// that only a change of zone would move stays at its moment. Where the schedule asks for it
    /// (`keepsIssuedRuns`), one that has ended stays as it was, and one that is open begins when it did and
    /// at most ends later, unless it is an offer (`Occurrence.isOffer`). What a new
    /// version of the study plans for the time before it was taken up is left out (`startsWithVersion`), and what
    /// it plans for later is never taken for what came at another time (`Occurrence.Identity`).
    ///
    /// `issued` are occurrences that have fallen due, `over` the ids of those that have ended.
    package func keeping(_ issued: some Sequence<Occurrence>, over: Set<String>) -> Plan {
        let issued = Dictionary(issued.map { ($0.id, $0) }) { first, _ in first }
        guard !issued.isEmpty || versionSince != nil else { return self }
        let kept = identified(among: issued, over: over).compactMap { new -> Occurrence? in
            guard let old = issued[new.id] else { return isBeforeVersion(new) ? nil : new }
            let isMoved = old.local == new.local && old.due != new.due
            let isKept = tasks[new.task]?.schedule.keepsIssuedRuns == true && !new.isOffer
            guard isKept else { return isMoved ? new.at(old) : new }
            let mayLast = new.identity == .run ? !isMoved : old.due == new.due
            return new.at(old).lasting(atLeastUntil: mayLast && !over.contains(old.id) ? new.expires : old.expires)
        }
        return with(kept.inTimeOrder())
    }

    /// The occurrences, in which an id that a new version of the study has given to another time
    /// (`Identity.place`) is replaced: by that of the prompt of this time, or else by one of its own. Local
    /// times are compared, which a change of zone leaves the same.
    private func identified(among issued: [String: Occurrence], over: Set<String>) -> [Occurrence] {
        guard let versionSince else { return occurrences }
        let earlier = issued.filter { $0.value.due <= versionSince }
        let prompts = earlier.values.filter { $0.purpose == .prompt }
        let ids = Dictionary(prompts.map { (Slot($0), $0.id) }) { one, other in
            over.contains(one) == over.contains(other) ? min(one, other) : over.contains(one) ? other : one
        }
        return occurrences.map { new in
            guard new.identity == .place, earlier[new.id]?.local != new.local else { return new }
            if new.notice == nil, let id = ids[Slot(new)] { return new.called(id) }
            return earlier[new.id] == nil ? new : new.called("\(new.id)/\(new.local.time)")
        }
    }

    /// A task at a time: at most one prompt.
    private struct Slot: Hashable {
        private let task: String
        private let local: LocalDateTime

        init(_ occurrence: Occurrence) { (task, local) = (occurrence.task, occurrence.local) }
    }

    private func isBeforeVersion(_ occurrence: Occurrence) -> Bool {
        guard let versionSince, !occurrence.isOffer, occurrence.due < versionSince else { return false }
        return tasks[occurrence.task]?.schedule.startsWithVersion == true
    }

    /// This plan after the zone was changed at `change`; `before` is the plan in the old zone. An occurrence
    /// that was still to come in `before` and lies before the change in this plan was passed over by the wall
    /// clock: it falls due at the change. The ids of those are returned too; unless they are presented after
    /// all, they end `missed(.zoneChanged)`.
    package func crossing(from before: Plan, at change: Instant) -> (plan: Plan, passedOver: Set<String>) {
        let ahead = Dictionary(before.occurrences.lazy.filter { $0.due > change }.map { ($0.id, $0.due) }) { $1 }
        var passedOver: Set<String> = []
        let moved = occurrences.map { occurrence -> Occurrence in
            guard occurrence.due < change, ahead[occurrence.id] != nil else { return occurrence }
            passedOver.insert(occurrence.id)
            return occurrence.at(change, until: occurrence.expires.map { max($0, change) })
        }
        guard !passedOver.isEmpty else { return (self, []) }
        return (with(moved.inTimeOrder()), passedOver)
    }

    /// This plan and, until they end, the occurrences in `open` that it does not have any more; their
    /// tasks must still exist. `open` are occurrences that have fallen due and not ended.
    package func retaining(_ open: some Sequence<Occurrence>) -> Plan {
        let planned = Set(occurrences.map(\.id))
        let gone = open.filter { !planned.contains($0.id) && tasks[$0.task] != nil }
        guard !gone.isEmpty else { return self }
        return with((occurrences + gone).inTimeOrder())
    }
}

extension Occurrence {
    /// This occurrence at the times that the earlier plan gave it, with its reminders moved along. It can be
    /// opened as long after each signal as that plan had it, where this one has less.
    fileprivate func at(_ old: Occurrence) -> Occurrence {
        var other = at(old.due, until: old.expires)
        (other.local, other.resolution, other.isSignalled) = (old.local, old.resolution, old.isSignalled)
        if let own = expires, let given = old.expires, given - old.due > own - due {
            other.calls.openFor = openFor.map { $0 + (given - old.due) - (own - due) }
        }
        return other
    }

    /// This occurrence, ending at `end` if its own end is earlier; without an end if either of the two is nil.
    fileprivate func lasting(atLeastUntil end: Instant?) -> Occurrence {
        expiring(expires.flatMap { own in end.map { max(own, $0) } })
    }

    /// The same occurrence, due then, with its reminders moved along.
    fileprivate func at(_ moment: Instant, until end: Instant?) -> Occurrence {
        var other = expiring(end)
        other.due = moment
        other.calls = calls.moved(by: moment - due)
        return other
    }
}
