// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization
import SystemKit

/// `studyd check`: tests everything a board names, and clock, disk and server, in at most ten
/// seconds without presses.
///
/// Each part has a thread, so that a stuck bus delays no other; what has not reported in time has
/// failed. With a person present, what must be seen, heard and pressed follows, one after the
/// other, and takes as long as the person needs.
package struct SelfTest: Sendable {
    /// How long the parts that need no person may take.
    private static let limit: Duration = .seconds(9)
    private let setting: CheckSetting

    package init(_ setting: CheckSetting) { self.setting = setting }

    /// Runs it; blocks, so call it from a thread made for it. `progress` gets how many findings of
    /// how many are known.
    package func run(progress: (Int, Int) -> Void = { _, _ in }) throws -> [CheckFinding] {
        let unattended = try run(unattendedProbes, progress: progress)
        guard setting.person != nil, setting.agent == nil else { return unattended }
        var findings = unattended
        for probe in panelProbes { probe.run { findings.append($0) } }
        return findings
    }

    /// What needs no person, each on its thread. Lights and sounds share a thread, so that a person in the room
    /// can follow them.
    private var unattendedProbes: [any CheckProbe] {
        var probes: [any CheckProbe] = [MeasureProbe(setting)] + deviceProbes
        probes += [
            BoundButtonProbe(board: setting.board, study: setting.study), ClockProbe(setting: setting),
            DiskProbe(setting: setting), BootProbe(cloudInit: setting.cloudInit),
        ]
        // A thread for each server: one that keeps silent for its 4 s delays no other.
        probes +=
            setting.servers.isEmpty
            ? [NoServerProbe()] : setting.servers.map { ServerProbe(setting: setting, server: $0) }
        if let broker = setting.broker {
            probes.append(BrokerProbe(broker, study: setting.study?.studyID, clock: setting.clock))
        }
        return probes
    }

    private var deviceProbes: [any CheckProbe] {
        let board = setting.board
        if let agent = setting.agent { return [AgentProbe(facts: agent, board: board)] }
        var probes: [any CheckProbe] = board.buses.indices.map { BusProbe(setting, bus: $0) }
        if !board.kernelChips.isEmpty { probes.append(KernelChipProbe(setting: setting)) }
        if setting.person == nil { probes.append(ProbeChain(probes: panelProbes)) }
        if board.microphone != nil { probes.append(MicrophoneProbe(setting: setting)) }
        if board.position != nil { probes.append(PositionProbe(setting: setting)) }
        return probes
    }

    private var panelProbes: [any CheckProbe] { [ButtonProbe(setting: setting), PanelProbe(setting: setting)] }

    private func run(_ probes: [any CheckProbe], progress: (Int, Int) -> Void) throws -> [CheckFinding] {
        let collector = try CheckCollector()
        for probe in probes {
            // Dropped without join: a thread that hangs in the kernel ends with the process.
            _ = try NamedThread(name: "studyd-check") { probe.run { collector.record($0) } }
        }
        let subjects = probes.flatMap(\.subjects)
        let deadline = setting.clock.monotonic + Self.limit
        while case let left = deadline - setting.clock.monotonic, left > .zero, collector.count < subjects.count {
            progress(collector.count, subjects.count)
            collector.waker.wait(atMost: min(left, .milliseconds(200)))
        }
        var found = collector.findings
        return subjects.map { found[$0]?.popFirst() ?? Self.late($0) }
    }

    static func late(_ subject: CheckSubject) -> CheckFinding {
        let remedy =
            switch subject.part {
            case .server: "the network is slow, or drops what is sent: look at the connection, and check again"
            case .disk: "the card is slow or failing: see `dmesg`, and replace it"
            case .agent, .clock, .boot, .measure: "the device is very busy: see `top`, and check again"
            case .bus, .chip, .button, .light, .buzzer, .vibration, .loudspeaker, .microphone, .position:
                "its driver is stuck: see `dmesg`, power-cycle the device, and check the wiring of its bus or plug"
            }
        return CheckFinding(subject, .failed, "did not finish within \(limit.seconds.text(0)) s", remedy: remedy)
    }
}

/// Findings as they come in, from many threads.
private final class CheckCollector: Sendable {
    let waker: Waker
    /// Two findings may share a subject: a destination may be called `study`.
    private let found = Mutex<[CheckSubject: ArraySlice<CheckFinding>]>([:])

    init() throws { waker = try Waker() }

    var findings: [CheckSubject: ArraySlice<CheckFinding>] { found.withLock { $0 } }
    var count: Int { found.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    func record(_ finding: CheckFinding) {
        found.withLock { $0[finding.subject, default: []].append(finding) }
        waker.wake()
    }
}

/// Probes one after the other on one thread.
private struct ProbeChain: CheckProbe {
    let probes: [any CheckProbe]

    var subjects: [CheckSubject] { probes.flatMap(\.subjects) }
    func run(_ report: (CheckFinding) -> Void) { for probe in probes { probe.run(report) } }
}

/// A part of the self-test. It blocks, so it runs on a thread.
protocol CheckProbe: Sendable {
    /// What it reports on, each once, in the order in which people read it.
    var subjects: [CheckSubject] { get }
    /// Tests, and reports each finding as soon as it is known; from this thread only.
    func run(_ report: (CheckFinding) -> Void)
}
