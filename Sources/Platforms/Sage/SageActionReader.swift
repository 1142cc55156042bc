// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads async actions: what is recorded while steps are done. `SageTaskReader` calls `read` for the task and each
/// section once all their rows are there, and takes `recorders` and `actions` at the end.
struct SageActionReader {
    private(set) var recorders: [TaskRecorder] = []
    /// What each recorder writes, by its name.
    private(set) var actions: [String: SageAction] = [:]
    /// Names of all actions so far, to refuse repeated ones.
    private var identifiers: Set<String> = []

    /// What each of `recorderTypes` is made of.
    private static let motion: [String: [TaskRecorder.Kind]] = [
        "accelerometer": [.accelerometer], "gyro": [.gyroscope], "magnetometer": [.magnetometer],
        "rotationRate": [.gyroscope], "magneticField": [.magnetometer], "attitude": [.accelerometer, .gyroscope],
        "gravity": [.accelerometer, .gyroscope], "userAcceleration": [.accelerometer, .gyroscope],
    ]

    /// The actions of a task or section. `rows` and `nodes` are all that were read so far; the rows
    /// from `first` on are its own, and every node has at least one row.
    mutating func read(
        _ place: JSONPlace, first: Int, _ scope: SageScope, _ rows: [SageRow], _ nodes: [SageNode],
        _ findings: inout Findings
    ) {
        guard place.member("asyncActions") != nil, first < rows.count else { return }
        let actions = findings.objects(findings.array("asyncActions", of: "actions", in: place), "an action")
        if actions.contains(where: { $0.member("type")?.text == "motion" }) { removeBuiltIn(within: scope) }
        for action in actions {
            guard let identifier = findings.requiredText("identifier", in: action),
                let kinds = kinds(of: action, &findings), !kinds.isEmpty
            else { continue }
            let name = (scope.sections + [identifier]).joined(separator: "_")
            guard identifiers.insert(name).inserted else {
                findings.expected(
                    "a unique identifier among the actions", at: action, found: "\"\(identifier)\" again")
                continue
            }
            guard let start = step(action, "startStepIdentifier", scope, nodes, &findings),
                let stop = step(action, "stopStepIdentifier", scope, nodes, &findings),
                step(action, "motionStepIdentifier", scope, nodes, &findings) != nil
            else { continue }
            let begin = start.rows.map { rows[$0.lowerBound].step.key } ?? beginning(rows[first...], scope)
            let end =
                stop.rows.map { rows[$0.upperBound - 1].step.key }
                ?? (scope.sections.isEmpty ? nil : rows.last?.step.key)
            recorders.append(TaskRecorder(identifier: name, kinds: kinds, startStep: begin, stopStep: end))
            self.actions[name] = description(of: action, identifier, scope)
        }
    }

    /// What an action of the file records is not recorded by a step (`recordMotion`) as well.
    private mutating func removeBuiltIn(within scope: SageScope) {
        let doubled = actions.filter { $0.value.isBuiltIn && $0.value.sections.starts(with: scope.sections) }
        for name in doubled.keys {
            actions[name] = nil
            identifiers.remove(name)
        }
        recorders.removeAll { doubled[$0.identifier] != nil }
    }

    private func description(of action: JSONPlace, _ identifier: String, _ scope: SageScope) -> SageAction {
        var description = SageAction(
            identifier: identifier, sections: scope.sections, type: action.member("type")?.text ?? "")
        let sensors = action.member("recorderTypes")?.elements?.compactMap(\.text) ?? []
        description.sensors = sensors.isEmpty ? ["accelerometer", "gyro"] : sensors
        description.savesAudio = action.member("saveAudioFile")?.isTrue ?? false
        description.motionStep = action.member("motionStepIdentifier")?.text
        description.isRelativeOnly = action.member("relativeDistanceOnly")?.isTrue ?? true
        return description
    }

    /// The first step that is presented whatever was answered; nil = with the task.
    private func beginning(_ rows: ArraySlice<SageRow>, _ scope: SageScope) -> String? {
        guard !scope.sections.isEmpty else { return nil }
        return (rows.first { $0.hides.isEmpty } ?? rows.first)?.step.key
    }

    /// What an action names as the step at which it starts or stops.
    private enum NamedStep {
        /// No step is named, or, for the stop, none that exists.
        case nothing
        /// The rows of the step or section.
        case step(Range<Int>)

        var rows: Range<Int>? { if case .step(let rows) = self { rows } else { nil } }
    }

    /// The step that an action names; nil after a problem, and where an action never starts.
    ///
    /// SageResearch looks whether the steps at which a task's actions start are there (`RSDTaskObject.validate()`), not
    /// those of a section's actions, nor any at which they stop.
    private func step(
        _ action: JSONPlace, _ key: String, _ scope: SageScope, _ nodes: [SageNode], _ findings: inout Findings
    ) -> NamedStep? {
        guard let place = action.member(key) else { return .nothing }
        let node = nodes.first { $0.identifier == place.text && $0.sections == scope.sections }
        if let node { return .step(node.rows) }
        switch key {
        case "stopStepIdentifier":
            findings.warn("no step beside this action is called so: it runs to the end, as in the app", at: place)
            return .nothing
        case "startStepIdentifier" where !scope.sections.isEmpty:
            findings.warn("no step beside this action is called so: it never starts, as in the app", at: place)
            return nil
        default:
            findings.expected("the identifier of a step beside this action", at: place)
            return nil
        }
    }

    private func kinds(of action: JSONPlace, _ findings: inout Findings) -> [TaskRecorder.Kind]? {
        if let table = action.member("usesCSVEncoding"), table.isTrue {
            findings.assume("recorded as JSON, where the original app makes CSV of it", at: table)
        }
        switch action.member("type")?.text {
        case "motion": return motionKinds(of: action, &findings)
        case "microphone":
            if action.member("saveAudioFile")?.isTrue ?? false {
                findings.assume(
                    "sound is kept as the device is configured, as FLAC where the original app makes AAC", at: action)
            }
            return [.sound]
        case "distance":
            findings.assume("the distance is measured by the GPS receiver; steps are not counted", at: action)
            return [.position]
        case "weather":
            findings.unsupported("the weather is not fetched: this action is left out", at: action)
            return []
        default:
            findings.expected(
                "a known action (motion, microphone, distance, weather)", at: action.member("type") ?? action)
            return nil
        }
    }

    private func motionKinds(of action: JSONPlace, _ findings: inout Findings) -> [TaskRecorder.Kind] {
        let given = findings.texts("recorderTypes", in: action)
        guard !given.isEmpty else { return [.accelerometer, .gyroscope] }
        var kinds: [TaskRecorder.Kind] = []
        for (text, place) in given {
            guard let parts = Self.motion[text] else {
                findings.expected("one of \(Self.motion.keys.sorted().joined(separator: ", "))", at: place)
                continue
            }
            for kind in parts where !kinds.contains(kind) { kinds.append(kind) }
        }
        if let frequency = action.member("frequency") {
            findings.assume("measured at the rate set on the device, whatever the study says here", at: frequency)
        }
        return kinds
    }

    /// What `MotionSensorNodeObject.recorderTypes` names, while the step of that row lasts.
    mutating func recordMotion(_ row: SageRow, _ scope: SageScope, _ findings: inout Findings) {
        let identifier = row.sageStep.identifier
        let name = (scope.sections + [identifier]).joined(separator: "_")
        guard identifiers.insert(name).inserted else {
            return findings.expected("a unique identifier among the actions", at: row.place, found: "\"\(name)\" again")
        }
        recorders.append(
            TaskRecorder(
                identifier: name, kinds: [.accelerometer, .gyroscope], startStep: row.step.key, stopStep: row.step.key))
        var action = SageAction(identifier: identifier, sections: scope.sections, type: "motion")
        action.isBuiltIn = true
        action.sensors = ["accelerometer", "gyro", "gravity", "userAcceleration", "attitude", "rotationRate"]
        actions[name] = action
    }
}
