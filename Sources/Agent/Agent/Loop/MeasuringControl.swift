// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// Begins and ends measuring, accounts for the samples that were due, and knows what is wrong with the sensors.
/// Belongs to the loop.
final class MeasuringControl {
    private let parts: AgentDependencies
    private(set) var system: MeasuringSystem?
    private var target: MeasuringTarget?
    /// Which samples were due while nothing was measured, and are not in the log yet.
    private var account: SpanAccount
    /// Faults of the hardware that were logged and shown.
    private var knownFaults: Set<String> = []
    /// The pause of the sensors, which outlives a system; nil before the first.
    private(set) var withheld: Range<MonotonicTime>?

    init(_ parts: AgentDependencies) {
        self.parts = parts
        account = SpanAccount(bootID: parts.stamps.bootID)
    }

    func isMeasuring(for target: MeasuringTarget) -> Bool { system != nil && self.target == target }

    /// Ends measuring, and begins it again with the parts that are there now. While recovery is not over, and the
    /// log does not yet `knowsPast`, neither is noted in the log. Throws at the first start alone: later it is
    /// tried again without the kernel's sensors, so that the buttons, which belong to the system, go on.
    func restart(
        for target: MeasuringTarget, _ owner: EnrolmentRecord?, _ anchors: [ClockAnchor], knowsPast: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [CoreEvent] {
        let ended = await stop(knowsPast: knowsPast)
        let system: MeasuringSystem
        var remarks: [CoreEvent] = []
        do { system = try await start(target.needs, owner, anchors) } catch {
            guard self.target != nil else { throw error }
            system = try await start(target.needs, owner, anchors, readsKernelChips: false)
            remarks = [.remark("sensors", "\(error)")]
        }
        (self.system, self.target) = (system, target)
        let begun = recordBeginning(anchors.last, knowsPast: knowsPast)
        parts.watched.watch(system.probes, recorder: system.recorder.probe)
        return ended + begun + remarks
    }

    private func start(
        _ needs: StudyNeeds, _ owner: EnrolmentRecord?, _ anchors: [ClockAnchor], readsKernelChips: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> MeasuringSystem {
        let origin = RecordingOrigin(
            study: owner?.studyID ?? "", participant: owner?.participant,
            deviceID: DeviceNumber.read(), bootID: parts.stamps.bootID, zone: parts.stamps.zone,
            software: "studyd " + AgentVersion.text)
        var active = parts.configuration.measures.filter { $0.activity == .always || owner != nil }
        if !readsKernelChips {
            let fit = MeasuringFit(active, on: parts.devices.board) { _ in nil }
            active.removeAll { measure in fit.kernelMeasures.contains { $0.channel == measure.channel } }
        }
        let setting = MeasuringSystem.Setting(
            devices: parts.devices, measures: active, origin: origin, folder: parts.folder, clock: parts.stamps.clock,
            needsMicrophone: needs.microphone, holdTimes: owner?.holdTimes ?? .usual, needsPosition: needs.position,
            listener: parts.listener, heartbeat: Heartbeat(path: parts.heartbeat, boot: parts.stamps.bootID),
            trace: parts.trace, withheld: withheld, features: parts.configuration.features,
            ruleFeatures: needs.features, anchors: anchors)
        return try await onThread("studyd-start") { [mailbox = parts.mailbox] in
            try MeasuringSystem(
                setting, onEdge: { mailbox.post(.edge($0)) },
                remark: { mailbox.post(.remark(place: "buttons", message: $0)) },
                onNews: { mailbox.post(.recorder($0, of: owner)) })
        }
    }

    /// What is measured in that span is not kept, whatever measures.
    func withhold(_ span: Range<MonotonicTime>) {
        withheld = span
        system?.recorder.withhold(span)
    }

    /// Measuring began: returns rows with the samples that were due since it last ended, and with the rates that
    /// are due from now on.
    func recordBeginning(_ anchor: ClockAnchor?, knowsPast: Bool) -> [CoreEvent] {
        guard let system else { return [] }
        account.begin(at: system.start)
        guard knowsPast else { return [] }
        // One commit: after a kill between the two the earlier span would be accounted for twice.
        return [.noted(settleAccounts(anchor) + [.measuringStarted(rates: system.rates, at: system.start)])]
    }

    /// The rows that the end of measuring wants in the log. While the log does not know the past it
    /// does not know of this span either: the next start accounts for it by its files.
    func stop(knowsPast: Bool, isolation: isolated (any Actor)? = #isolation) async -> [CoreEvent] {
        guard let system else { return [] }
        self.system = nil
        parts.watched.watch([], recorder: nil)
        let rates = system.rates
        let stuck = try? await onThread("studyd-stop") { system.stop() }
        for name in stuck ?? [] {
            parts.log.error("a driver blocks a thread, which is abandoned", metadata: ["thread": "\(name)"])
        }
        return knowsPast ? close(system.states, rates) : []
    }

    private func close(_ states: [MeasureState], _ rates: [String: Double]) -> [CoreEvent] {
        parts.view.change { state in
            for measure in states { state.past.addStopped(measure) }
            state.measures = []
        }
        account.close(states, rates: rates, at: parts.stamps.moment.monotonic)
        return [.noted(states.compactMap(\.account?.event) + [.measuringStopped])]
    }

    /// What an earlier start left; see `SpanAccount`.
    func takeEarlier(_ span: EarlierSpan) { account.take(span) }

    /// Hands the boot's anchors to the recorders. A trusted one also shows how long the device was off, so that
    /// spans of earlier boots can be accounted for.
    func setAnchors(_ anchors: [ClockAnchor]) -> [CoreEvent] {
        system?.recorder.setAnchors(anchors)
        let accounts = anchors.last?.isTrusted == true ? settleAccounts(anchors.last) : []
        return accounts.isEmpty ? [] : [.noted(accounts)]
    }

    /// Takes the accounts that can be made by now, and adds them to the view.
    private func settleAccounts(_ anchor: ClockAnchor?) -> [StudyEvent] {
        let accounts = account.settle(anchor)
        parts.view.change { state in for account in accounts { state.past.add(account) } }
        return accounts.map(\.event)
    }

    /// Shows in the view how parts and measures are doing. What has newly gone wrong is written to the journal
    /// once, and returned as rows for the log; `isChanged` where the panel may have to show something else. Nil
    /// while nothing is measured.
    func inspect() -> (rows: [StudyEvent], isChanged: Bool)? {
        guard let system else { return nil }
        let known = knownFaults
        let heard = Set(parts.view.now.soundFaults)
        let sounds = system.passedFaults + (parts.speaker?.trouble.map { ["loudspeaker: \($0)"] } ?? [])
        let poller = parts.devices.partPoller
        parts.view.change {
            $0.partFaults = poller.faults
            $0.absences = Dictionary(poller.absences.map { ($0.place, $0.count) }, uniquingKeysWith: max)
            $0.soundFaults = sounds
            $0.measures = system.states
            $0.buttonsLost = system.lostButtons
            $0.sensorFaults = system.sensorFaults
            $0.position = system.positionText
            $0.cost = system.cost
        }
        let faults = parts.view.now.hardwareFaults.map(\.description)
        knownFaults = Set(faults)
        let begun = faults.filter { !known.contains($0) }
        for fault in begun { parts.log.record(StateChange(.partFails, ["fault": fault])) }
        let rows =
            begun.map { StudyEvent.fault(place: "hardware", message: $0) }
            + log(sounds.filter { !heard.contains($0) }, of: "sound")
        for fault in known.subtracting(faults).sorted() { parts.log.record(StateChange(.partWorks, ["was": fault])) }
        return (rows, known != knownFaults)
    }

    private func log(_ faults: [String], of place: String) -> [StudyEvent] {
        faults.map { fault in
            parts.log.error("\(place)", metadata: ["fault": "\(fault)"])
            return .fault(place: place, message: fault)
        }
    }
}
