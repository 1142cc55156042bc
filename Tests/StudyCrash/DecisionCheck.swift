// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Agent
@testable import Study

/// What must be true of the decisions in a log, asked of its rows alone: no trial may lose an analysis
/// because availability was logged wrong, a point was available with probability 0, a probability was
/// missing, or a point was.
struct DecisionCheck {
    /// Of all enrolments.
    private(set) var decisions = 0
    private(set) var drawn = 0
    private(set) var missed = 0

    private var enrolments: [String: Track] = [:]
    private let rules: StudyRules?

    /// One enrolment, as far as its rows tell it.
    private struct Track {
        var seed: [UInt8] = []
        var enrolled = Instant.epoch
        var arePromptsOn = true
        var run: String?
        var prompts: [Instant] = []
        var last: [String: DecisionRecord] = [:]
        var treated: [String: Int] = [:]
        var raised: Set<String> = []
        var prompted: Set<String> = []
        var awaited: Set<String> = []
        /// When the device was last on in each zone that it left.
        var departures: [Instant] = []
    }

    init(_ rules: StudyRules?) { self.rules = rules }

    mutating func take(_ row: LoggedEvent) throws {
        var track = enrolments[row.stamp.enrolment] ?? Track()
        switch row.event {
        case .enrolled(let record):
            track.seed = record.enrolment?.seed ?? []
            track.enrolled = record.instant
        case .enrolmentDated(let instant, _): track.enrolled = instant
        case .promptsSwitched(let on): track.arePromptsOn = on
        case .runOpened(let task, let opening, _): track.run = "\(task)/\(opening)"
        case .submitted(let task, let opening, _), .runLeft(let task, let opening):
            if track.run == "\(task)/\(opening)" { track.run = nil }
        case .prompted(let occurrence):
            track.prompts.append(row.stamp.wall)
            guard occurrence.id.contains("/rule.") else { break }
            try hold(track.treated[occurrence.id] != nil, "\(occurrence.id) was prompted for without a treated point")
            track.prompted.insert(occurrence.id)
        case .clockStepped(let nanoseconds):
            track.prompts = track.prompts.map { $0 + .nanoseconds(nanoseconds) }
        case .zoneChanged(_, _, let until?): track.departures.append(until)
        // What it said of earlier prompts it said by the clock of then.
        case .agentStarted: for id in enrolments.keys { enrolments[id]?.prompts = [] }
        case .decided(let decision): try decide(decision, row, &track)
        case .raised(let rule, let index, let occurrence, _):
            try hold(track.treated[occurrence] == index, "\(rule)/\(index) raised \(occurrence) without being treated")
            try hold(track.raised.insert(occurrence).inserted, "\(occurrence) was raised twice")
        case .outcomeMeasured(let outcome):
            let id = "\(outcome.rule)/\(outcome.index)"
            try hold(track.awaited.remove(id) != nil, "\(id) was measured and not awaited")
            try hold((outcome.value == nil) == (outcome.missing != nil), "\(id) has neither a value nor a reason")
        default: return
        }
        enrolments[row.stamp.enrolment] = track
    }

    /// Every treated point raised its prompt, in the same transaction.
    func finish() throws {
        for track in enrolments.values {
            try hold(Set(track.treated.keys) == track.raised, "a treated point raised nothing")
        }
    }

    private mutating func decide(_ decision: DecisionRecord, _ row: LoggedEvent, _ track: inout Track) throws {
        let name = "\(row.stamp.enrolment) \(decision.rule)/\(decision.index)"
        decisions += 1
        let isDrawn = decision.result == .treated || decision.result == .control
        try hold(decision.index == (track.last[decision.rule]?.index ?? 0) + 1, "\(name) does not follow its last")
        try hold(
            decision.available == isDrawn && decision.available == decision.reasons.isEmpty,
            "\(name): available is wrong")
        try hold(
            isDrawn == (decision.probability != nil) && isDrawn == (decision.draw != nil),
            "\(name): a draw without a probability, or the other way round")
        try hold((decision.state != nil) == (decision.result != .missed), "\(name): its state is not there")
        if isDrawn { try checkDraw(decision, name, track) }
        if decision.result == .missed {
            missed += 1
        } else {
            try hold(decision.at - decision.due <= .seconds(120), "\(name) was decided late")
        }
        if decision.available {
            let needs = rules?.rule(decision.rule)?.needs ?? []
            try hold(track.arePromptsOn || !needs.contains(.promptsOn), "\(name) was available while prompts were off")
            try hold(track.run == nil || !needs.contains(.noRun), "\(name) was available during \(track.run ?? "")")
            let recent = track.prompts.contains { $0 > decision.due - .seconds(3599) && $0 <= decision.due }
            try hold(
                !recent || !needs.contains(.sincePrompt(.seconds(3600))), "\(name) was available right after a prompt")
        }
        try checkGrid(decision, name, track)
        if decision.result == .treated { track.treated[decision.occurrence] = decision.index }
        if decision.outcome != nil { track.awaited.insert("\(decision.rule)/\(decision.index)") }
        track.last[decision.rule] = decision
    }

    private mutating func checkDraw(_ decision: DecisionRecord, _ name: String, _ track: Track) throws {
        drawn += 1
        let (probability, draw) = (decision.probability ?? 0, decision.draw ?? 1)
        try hold((0.05...0.95).contains(probability), "\(name) was available with probability \(probability)")
        let label = "rule \(decision.rule)/\(decision.index)"
        var generator = Chance(enrolmentSeed: track.seed).generator(for: label)
        let own = Double(generator.next() >> 11) * 0x1p-53
        try hold(decision.label == label && draw == own, "\(name) has another draw than its seed gives")
        try hold((decision.result == .treated) == (draw < probability), "\(name): its draw says otherwise")
    }

    /// Between two points of a period lies none that is not in the log.
    private func checkGrid(_ decision: DecisionRecord, _ name: String, _ track: Track) throws {
        let last = track.last[decision.rule]
        if let last, decision.due <= last.due {
            // A journey east leaves times of day behind.
            if decision.result == .missed, case .at? = rules?.rule(decision.rule)?.points { return }
            return try hold(last.due - decision.at > .seconds(3 * 3600), "\(name) is due before its last")
        }
        guard let rule = rules?.rule(decision.rule), case .every(let period) = rule.points else { return }
        let step = period.nanoseconds
        try hold(decision.due.nanoseconds % step == 0, "\(name) is no multiple of its period")
        guard let last, last.local.date == decision.local.date,
            !track.departures.contains(where: { (last.due...decision.due).contains($0) })
        else { return }
        // Of one day and one offset.
        let isOneOffset = (decision.due - last.due) == span(last.local, decision.local)
        guard isOneOffset, decision.due - last.due > period else { return }
        var time = last.local.adding(period)
        while time < decision.local {
            try hold(rule.quiet.contains(time.time), "\(name): the point at \(time) is not in the log")
            time = time.adding(period)
        }
    }

    private func span(_ one: LocalDateTime, _ other: LocalDateTime) -> Duration {
        other.instant(offset: 0) - one.instant(offset: 0)
    }

    private func hold(_ isTrue: Bool, _ description: @autoclosure () -> String) throws {
        guard isTrue else { throw CoreTrial.Broken(description: description()) }
    }
}
