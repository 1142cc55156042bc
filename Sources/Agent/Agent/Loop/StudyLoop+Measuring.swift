// SPDX-License-Identifier: Apache-2.0
import Device
import Study

/// Measuring: its beginning and its end, and what sensors and parts say.
extension StudyLoop {
    /// Measures with whatever is there now, for whoever takes part.
    func restartMeasuring() async throws -> [CoreEvent] {
        var events = await stopMeasuring()
        let target = target
        let system = try await startMeasuring(target.needs)
        (measuring, measuringFor) = (system, target)
        events += recordMeasuring(system)
        parts.signs.measure(system.signs, recorder: system.recorderSign)
        await inspect(system)
        return events
    }

    private func startMeasuring(_ needs: StudyNeeds) async throws -> MeasuringSystem {
        let origin = RecordingOrigin(
            study: owner?.studyID ?? "", participant: owner?.participant,
            deviceID: DeviceNumber.read(), bootID: parts.stamps.bootID, zone: parts.stamps.zone,
            software: "studyd " + AgentVersion.text)
        let active = parts.configuration.measures.filter { $0.activity == .always || owner != nil }
        let setting = MeasuringSystem.Setting(
            devices: parts.devices, measures: active, origin: origin, folder: parts.folder, clock: parts.stamps.clock,
            needsMicrophone: needs.microphone, holdTimes: owner?.holdTimes ?? .usual, needsPosition: needs.position,
            listener: parts.listener, heartbeat: Heartbeat(path: parts.heartbeat, boot: parts.stamps.bootID),
            trace: parts.trace)
        let system = try await onThread("studyd-start") { [mailbox = parts.mailbox, owner = owner] in
            try MeasuringSystem(
                setting, onEdge: { mailbox.post(.edge($0)) },
                remark: { mailbox.post(.remark(place: "buttons", message: $0)) },
                tell: { mailbox.post(.recorder($0, of: owner)) })
        }
        system.setAnchors(core.anchors)
        return system
    }

    /// The rows that the end of measuring wants in the log.
    func stopMeasuring() async -> [CoreEvent] {
        guard let measuring else { return [] }
        self.measuring = nil
        parts.signs.measure([], recorder: nil)
        let rates = measuring.rates
        let stuck = try? await onThread("studyd-stop") { measuring.stop() }
        for name in stuck ?? [] {
            parts.log.error("a driver blocks a thread, which is abandoned", metadata: ["thread": "\(name)"])
        }
        // Before that the log does not know of this span: the next start reckons it by its files.
        return coming?.isRecovered != false ? closeMeasuring(measuring.states, rates: rates) : []
    }

    /// Shows how parts and measures are doing; what has newly gone wrong is logged, once.
    func inspect(_ measuring: MeasuringSystem) async {
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
        let faults = parts.view.now.hardwareFaults.map(\.description)
        told = Set(faults)
        var rows: [StudyEvent] = []
        for fault in faults where !known.contains(fault) {
            parts.log.error("hardware", metadata: ["fault": "\(fault)"])
            rows.append(.fault(place: "hardware", message: fault))
        }
        for fault in sounds where !heard.contains(fault) {
            parts.log.error("sound", metadata: ["fault": "\(fault)"])
            rows.append(.fault(place: "sound", message: fault))
        }
        for fault in known.subtracting(faults) {
            parts.log.notice("works again", metadata: ["was": "\(fault)"])
        }
        if !rows.isEmpty { await send(.noted(rows)) }
        if known != told || core.study == nil { await showFault() }
    }

    /// Events that the mailbox had to drop.
    private func reportLosses() async {
        let (losses, told) = (parts.mailbox.losses, parts.view.now.eventsLost)
        guard losses > told else { return }
        parts.view.change { $0.eventsLost = losses }
        await send(.remark("loop", "events lost because the mailbox was full: \(losses - told)"))
    }

    /// What came or went since the last look; a sensor that was awaited is measured from now on.
    func inspectAll() async {
        parts.signs.loopTurned()
        await reportLosses()
        guard let measuring else { return }
        await inspect(measuring)
        guard coming == nil, measuring.isOutgrown else { return }
        do { await send(try await restartMeasuring()) } catch { await report("\(error)") }
    }
}
