// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Plans the tables of one session's recordings for `BIDSExport`, which adds one recording after the other and
/// then writes the tables of `plans`.
struct BIDSPlanner {
    private(set) var plans: [BIDSPlan] = []
    private let dataset: any StudyDataset
    private let names: BIDSNames
    private let events: BIDSEvents
    private let folder: DatasetFolder
    /// The devices by task, measure and run: every device numbers its own recordings, so that two devices may
    /// have a run of one name.
    private var runs: [String: [UInt32]] = [:]

    init(_ dataset: any StudyDataset, _ names: BIDSNames, _ events: BIDSEvents, in folder: DatasetFolder) {
        (self.dataset, self.names, self.events, self.folder) = (dataset, names, events, folder)
    }

    /// Adds the recording's plan, or returns why BIDS has no place for it. A recording of presses gets no plan
    /// and no refusal: its presses are among the events.
    mutating func add(_ recording: StudyRecording) throws -> RefusedRecording? {
        guard let description = recording.description else {
            return RefusedRecording("came without a description", isHole: false)
        }
        if description.kind == "buttons" { return nil }
        let task = BIDSTask(of: description, in: dataset)
        let run = "run-\(description.number.padded(6))"
        guard let measure = takeMeasure(description, task, run) else {
            return RefusedRecording("another has the same number", isHole: true)
        }
        let file = try BIDSPlan.open(recording)
        if let motion = try BIDSMotion(file, description) {
            let stem = "motion/\(names.stem)_task-\(task.label)_tracksys-\(measure)_\(run)"
            var plan = try BIDSPlan(
                recording, description, .motion, names, stem: stem + "_motion",
                json: motion.json(task, source: recording), start: motion.start, task: task.label, in: folder)
            plan.beside = [
                ("\(names.folder)/\(stem)_channels.tsv", motion.channelTable),
                ("\(names.folder)/\(stem)_events.tsv", eventTable(during: description, motion.start)),
            ]
            plans.append(plan)
        } else if let series = try BIDSSeries(file, description) {
            let stem = "beh/\(names.stem)_task-\(task.label)_acq-\(measure)_\(run)_beh"
            plans.append(
                try BIDSPlan(
                    recording, description, .series, names, stem: stem, json: series.json(task, source: recording),
                    start: series.start, task: task.label, in: folder))
        } else {
            return RefusedRecording("\(file.content.title) has no place in BIDS", isHole: false)
        }
        return nil
    }

    /// The label of the measure; the second device with this run gets `x2` behind it. Nil where this device has
    /// the run already.
    private mutating func takeMeasure(_ description: RecordingDescription, _ task: BIDSTask, _ run: String) -> String? {
        let measure = BIDSLabels.plain(description.identifier)
        let devices = runs["\(task.label) \(measure) \(run)", default: []]
        guard !devices.contains(description.deviceNumber) else { return nil }
        runs["\(task.label) \(measure) \(run)"] = devices + [description.deviceNumber]
        return devices.isEmpty ? measure : "\(measure)x\(devices.count + 1)"
    }

    private func eventTable(during description: RecordingDescription, _ start: Instant?) -> String {
        guard let start else { return events.text(since: .epoch) { _ in false } }
        let length = max(0, min(1e9, description.endUptime - description.startUptime))
        let end = start + .nanoseconds(Int64(length * 1e9))
        return events.text(since: start) { $0.time.instant >= start && $0.time.instant <= end }
    }
}

/// The parts that the names of a session's files have in common: folder `sub-…/ses-…`, stem `sub-…_ses-…`.
struct BIDSNames {
    let folder: String
    let stem: String
}
