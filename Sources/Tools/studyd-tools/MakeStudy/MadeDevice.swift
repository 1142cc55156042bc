// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Device
import Logging
import Study
import SystemKit

/// One participant of a made study (`MadeStudy`): the device is played through its days, then the real agent
/// sends what it holds.
struct MadeDevice: Sendable {
    /// `P001`.
    let name: String
    let life: MadeLife
    private let loaded: LoadedStudy
    private let participant: Participant
    private let configuration: AgentConfiguration
    private let board: BoardDescription
    private let panel: Panel
    private let address: String
    private let log: Logger
    /// A rules file beside the study (docs/rules.md); nil = none.
    var rules: RulesFile?
    /// Of a study whose participants enrol with tokens.
    var token: String?

    /// `configuration` names the receiver at `address`.
    init(
        _ name: String, _ life: MadeLife, _ loaded: LoadedStudy, participant: Participant,
        _ configuration: AgentConfiguration, on board: BoardDescription, panel: Panel, address: String, _ log: Logger
    ) {
        (self.name, self.life, self.loaded, self.participant) = (name, life, loaded, participant)
        (self.configuration, self.board, self.panel) = (configuration, board, panel)
        (self.address, self.log) = (address, log)
    }

    /// Plays all days. Returns the questions that must be answered and that the script does not answer.
    /// `progress` gets 0...1.
    func play(_ progress: (Double) -> Void) async throws -> [String] {
        let setting = PlayedDevice.Setting(
            configuration, board: board, panel: panel, deviceID: UInt32(truncatingIfNeeded: life.seed), log: log)
        let first = try SimulatedSurroundings(life.powerOns[0], of: life, on: board)
        let device = try await PlayedDevice(
            setting, participant: participant, seed: life.seed, boot: life.powerOns[0].boot, in: first)
        _ = try await device.enrol(enrolment)
        for (index, power) in life.powerOns.enumerated() {
            let surroundings = index == 0 ? first : try SimulatedSurroundings(power, of: life, on: board)
            try await device.live(power.boot, in: surroundings)
            progress((power.start + power.boot.length - life.enrolled) / (life.end - life.enrolled))
        }
        return device.unanswered
    }

    /// An enrolment at the lab's receiver, which plays the platform's server.
    private var enrolment: EnrolmentOptions {
        let terms = loaded.platform.rehearsal(of: loaded.study, at: address, token: token, over: StudyConnection())
        var options = EnrolmentOptions(
            loaded: loaded, participant: terms.join == nil ? name : nil, seed: life.seed, postURL: terms.postURL)
        options.allowsSilence = true
        options.join = terms.join
        options.rules = rules
        return options
    }

    /// After `play`: runs the real agent on the state folder, five minutes after the study's end, until
    /// it has sent all that waits; returns the ledger. Throws where that takes longer than `limit`.
    func deliver(within limit: Duration) async throws -> Ledger {
        let clock = DemoClock(base: SystemClock(), start: life.end + .seconds(300))
        let simulation = try SimulatedBoard(board, clock: clock, soundSeconds: 1, datesReceiver: true)
        defer { simulation.stop() }
        // It only sends: no sensors, and no /sys of the computer that this runs on.
        var resting = configuration
        resting.measures = []
        var options = AgentRuntime.Options(trust: ClockTrust { (.kernel, .milliseconds(5)) }, log: log)
        options.clock = clock
        options.parts = simulation.parts
        options.sysfs = ""
        let runtime = try await AgentRuntime(resting, board: board, options)
        async let running: Void = runtime.run()
        let progress = DeliveryProgress(
            runtime.database, state: configuration.state, zone: try SystemZone.load(configuration.zone))
        let deadline = clock.monotonic + limit
        var isOver = false
        while !isOver, clock.monotonic < deadline {
            try await clock.sleep(until: clock.monotonic + .milliseconds(100))
            isOver = try await progress.isOver(at: clock.now)
        }
        await runtime.stop()
        try await running
        if let fault = try await runtime.database.verifyLog() {
            throw FileError(path: configuration.state, message: "\(fault)")
        }
        guard isOver else {
            throw FileError(path: configuration.state, message: "not all of it was received within \(limit.text)")
        }
        return try await runtime.status.ledger()
    }
}
