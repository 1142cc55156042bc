// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Takes the place of the probes of parts that the running agent owns: reports what the agent says
/// of them, and which are not tested.
struct AgentProbe: CheckProbe {
    private static let remedy = "to test it too: systemctl stop studyd, studyd check, systemctl start studyd"
    let facts: AgentFacts
    let board: BoardDescription

    var subjects: [CheckSubject] { findings.map(\.subject) }
    func run(_ report: (CheckFinding) -> Void) { findings.forEach(report) }

    private var findings: [CheckFinding] {
        let agent = CheckFinding(
            CheckSubject(.agent, "studyd"), .ok,
            "running, and using the board's devices: its own measurements are shown, the rest is left alone")
        let faults = facts.faults.enumerated().map { index, fault in
            CheckFinding(CheckSubject(.agent, "fault \(index + 1)"), failure: fault, remedy: "see the journal")
        }
        return [agent] + faults + facts.measures.map(finding) + untouched
    }

    private func finding(_ measure: AgentFacts.Measure) -> CheckFinding {
        let part: CheckPart =
            switch MeasureKind(rawValue: measure.channel) {
            case .sound: .microphone
            case .position: .position
            case .buttons: .button
            default: .chip
            }
        let subject = CheckSubject(part, "\(measure.channel) \(measure.device)")
        let hour = measure.lastHour
        let detail = "last hour: \(hour.due) due, \(hour.stored) stored, \(hour.lost) lost"
        if let fault = measure.fault { return CheckFinding(subject, failure: fault, remedy: "see the journal") }
        // Up to two minutes of samples wait in memory for their block to fill.
        let waiting = hour.due - hour.lost
        let isBeginning = waiting > hour.lost && Double(waiting) <= measure.nominalRate * 120
        if hour.due > 0, hour.stored == 0, !isBeginning {
            return CheckFinding(subject, .failed, detail, remedy: "see `studyd status` and the journal")
        }
        guard let rate = measure.measuredRate, measure.nominalRate > 0 else {
            return CheckFinding(subject, .ok, detail)
        }
        let error = (rate / measure.nominalRate - 1) * 100
        let text = "\(rate.text(1)) of \(measure.nominalRate.text(1)) Hz (\(error.signed(1)) %), \(detail)"
        guard abs(error) > ChipVerdict.rateTolerance * 100 else { return CheckFinding(subject, .ok, text) }
        return CheckFinding(subject, .warning, text, remedy: "a slow bus or a busy machine: see `studyd status`")
    }

    /// Every part of the board that no measure of the agent reports on.
    private var untouched: [CheckFinding] {
        // Of two chips of one type the first is measured.
        var measured = Set(facts.measures.map { $0.device.lowercased() })
        let idle = board.chips.filter { measured.remove($0.type.lowercased()) == nil }
        var subjects = board.buses.map { CheckSubject(.bus, $0.name) }
        subjects += idle.map { CheckSubject($0, of: board) }
        subjects += board.buttons.map { CheckSubject(.button, $0.name) }
        subjects += board.lights.map { CheckSubject(.light, $0.name) }
        if board.buzzer != nil { subjects.append(CheckSubject(.buzzer, "buzzer")) }
        if board.vibration != nil { subjects.append(CheckSubject(.vibration, "vibration")) }
        if board.loudspeaker != nil { subjects.append(CheckSubject(.loudspeaker, "loudspeaker")) }
        let channels = facts.measures.map(\.channel)
        if board.microphone != nil, !channels.contains("sound") {
            subjects.append(CheckSubject(.microphone, "microphone"))
        }
        if board.position != nil, !channels.contains("position") {
            subjects.append(CheckSubject(.position, "position"))
        }
        return subjects.map { CheckFinding($0, .skipped, "belongs to the running agent", remedy: Self.remedy) }
    }
}
