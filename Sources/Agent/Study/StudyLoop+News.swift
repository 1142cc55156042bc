// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import StudyEngine
import StudyModel

/// What recorders and sensors say.
extension StudyLoop {
    /// Files of runs that waited for the clock are settled; the others are registered.
    func take(sealed recordings: [SealedRecording], of owner: EnrolmentRecord?) async {
        let others = recordings.filter { $0.description.task == nil }
        if !others.isEmpty { register(others, of: owner) }
        do { try await settle(recordings.filter { $0.description.task != nil }, resumed: nil) } catch {
            report("\(error)")
        }
    }

    func take(_ news: RecorderThread.News, of owner: EnrolmentRecord?) {
        switch news {
        case .sealed(let recordings): register(recordings, of: owner)
        case .memo(let id, let recording):
            if let owed = memos.keep(recording, of: id) { register([owed], of: owner) }
        case .memoFailed: conduct(.recordingFailed)
        case .task(let recorded): take(recorded, of: owner)
        case .progress(let stored):
            if let measuring { look(at: measuring) }
            conduct(.recording(stored))
        }
    }

    /// Shows how parts and measures are doing; what has newly gone wrong is logged, once.
    func look(at measuring: MeasuringSystem) {
        let known = told
        let heard = Set(parts.view.now.soundFaults)
        let sounds = measuring.passedFaults + (parts.speaker?.trouble.map { ["loudspeaker: \($0)"] } ?? [])
        let keeper = parts.devices.keeper
        parts.view.change {
            $0.partFaults = keeper.faults
            $0.absences = Dictionary(keeper.absences.map { ($0.place, $0.count) }, uniquingKeysWith: max)
            $0.soundFaults = sounds
            $0.measures = measuring.states
            $0.buttonsLost = measuring.lostButtons
            $0.sensorFaults = measuring.sensorFaults
            $0.position = measuring.positionText
            $0.cost = measuring.cost
        }
        let faults = parts.view.now.hardwareFaults
        told = Set(faults)
        var row = StudyCommit()
        for fault in faults where !known.contains(fault) {
            parts.log.error("hardware", metadata: ["fault": "\(fault)"])
            row.events.append(.fault(place: "hardware", message: fault))
        }
        for fault in sounds where !heard.contains(fault) {
            parts.log.error("sound", metadata: ["fault": "\(fault)"])
            row.events.append(.fault(place: "sound", message: fault))
        }
        for fault in known.subtracting(faults) {
            parts.log.notice("works again", metadata: ["was": "\(fault)"])
        }
        commit(row)
        if known != told || study == nil { showFault() }
    }

    /// Events that the mailbox had to drop.
    private func tellLosses() {
        let (losses, told) = (parts.mailbox.losses, parts.view.now.eventsLost)
        guard losses > told else { return }
        parts.view.change { $0.eventsLost = losses }
        remark("loop", "\(losses - told) events found the mailbox full and are lost")
    }

    /// What came or went since the last look; a sensor that was awaited is measured from now on.
    func lookAround() async {
        parts.signs.loopTurned()
        tellLosses()
        guard let measuring else { return }
        look(at: measuring)
        guard coming == nil, measuring.isOutgrown else { return }
        do { try await restartMeasuring() } catch { report("\(error)") }
    }
}
