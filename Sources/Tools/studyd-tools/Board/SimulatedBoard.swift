// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Device
import Glibc
import SimulatedWorld
import Simulation
import SystemKit

/// Replaces every part that a board file calls `simulated`, below the real code: chips on a bus, GPS receiver
/// on a pty, keys in a pipe, lights and buzzer as files, sound through ALSA's `file` plugin.
/// `studyd-tools run`, `check`, `demo` and `make-study` make one: the agent is given `parts`; `stop` ends the
/// threads and removes the files.
final class SimulatedBoard {
    /// What the agent opens in the place of devices.
    private(set) var parts = SimulatedParts()
    private(set) var keys: SimulatedKeys?
    private(set) var keyThread: SteppedThread?
    /// One for each light, in the order of the board file; the first has the buzzer too. There is
    /// one even where the board has no light.
    private(set) var panels: [SimulatedPanelFolder] = []
    /// A panel of which only the buzzer is used: its PWM channel drives the vibration motor.
    private var motor: SimulatedPanelFolder?
    private var gpsThread: SteppedThread?
    private let folder: String
    private let temporary: TemporaryFolder?

    /// Simulates nothing where the board has no [world]. `script` replaces the board's own script and
    /// its recorded motion. `soundSeconds` of the microphone's sound are computed before this returns.
    /// `datesReceiver`: the GPS sentences carry the time of `clock`, not that of the recorded log.
    init(
        _ board: BoardDescription, clock: any StudyClock, script: String? = nil, soundSeconds: Int = 60,
        datesReceiver: Bool = false
    ) throws {
        temporary = try board.world.map { _ in try TemporaryFolder("board") }
        folder = temporary?.path ?? ""
        guard let description = board.world else { return }
        let world = try Self.world(description, of: board.file, start: clock.monotonic, script: script)
        let monotonic: @Sendable () -> MonotonicTime = { clock.monotonic }
        // Before the buses: it takes a while, and a bus's faults are timed from when it is made.
        try addSound(board, world, clock: clock, seconds: soundSeconds)
        try addBuses(board, world, description, clock: monotonic)
        try addPanel(board, clock: monotonic)
        if board.position?.device == BoardDescription.simulated {
            try addReceiver(description, of: board.file, clock: clock, isDated: datesReceiver)
        }
    }

    /// Throws where `init` would, for a file that the board's [world] is made from.
    static func check(_ board: BoardDescription) throws {
        guard let description = board.world else { return }
        _ = try world(description, of: board.file, start: .zero, script: nil)
        if board.position?.device == BoardDescription.simulated { _ = try receiverLog(description, of: board.file) }
    }

    deinit { stop() }

    /// Ends the threads and removes the files. Calling it again does nothing.
    func stop() {
        keyThread?.stop()
        gpsThread?.stop()
        (keyThread, gpsThread) = (nil, nil)
        panels = []
        motor = nil
        keys = nil
        temporary?.remove()
    }

    /// A recorded motion replaces the board's own script, unless that says itself when to replay it.
    static func world(
        _ description: BoardDescription.World, of file: String, start: MonotonicTime, script: String?
    ) throws -> World {
        let seed = UInt64(description.seed)
        guard script == nil, let path = description.motion else {
            return try World(script: script ?? description.script, start: start, seed: seed)
        }
        let motion = try self.motion(Resource.path(path, namedIn: file), of: file)
        let replays = try WorldScript(description.script, recording: motion.duration).segments
            .contains { $0.activity == .replay }
        return try World(
            script: replays ? description.script : "replay", start: start, seed: seed, recording: motion)
    }

    /// A recorded CWA file as motion, in g, at the rate of its last block; its first 60 000 samples or
    /// a few more, which are 10 minutes at 100 Hz.
    private static func motion(_ path: String, of file: String) throws -> RecordedMotion {
        let reader = try CWAReader(File(path, .read))
        var samples: [SIMD3<Double>] = []
        var rate = 100.0
        while let block = try reader.nextBlock(), samples.count < 60_000 {
            rate = block.rate
            for index in 0..<block.count {
                let (x, y, z) = block.acceleration(index)
                samples.append(SIMD3(x, y, z))
            }
        }
        guard let motion = RecordedMotion(samples: samples, rate: rate) else {
            throw ConfigError(file: file, path: "world.motion", line: nil, cause: "\(path) holds no samples")
        }
        return motion
    }

    private func addBuses(
        _ board: BoardDescription, _ world: World, _ description: BoardDescription.World,
        clock: @escaping @Sendable () -> MonotonicTime
    ) throws {
        let seed = UInt64(description.seed)
        let start = clock()
        for bus in board.buses where bus.device == BoardDescription.simulated {
            var chips: [any SimulatedChip] = []
            for chip in board.chips where chip.bus == bus.name {
                chips.append(try Self.chip(chip, of: board, PhysicalInput(world), seed: seed, start: start))
            }
            if case .chip(_, bus.name, _)? = board.vibration?.drive {
                chips.append(SimulatedDRV2605L(motor: SimulatedDRV2605L.Motor(), start: start))
            }
            let simulated = SimulatedI2CBus(chips: chips, seed: seed, clock: clock)
            for silence in description.silences {
                switch silence.span {
                case .times(let span):
                    let during = start + span.lowerBound..<start + span.upperBound
                    simulated.inject(.noAcknowledge(address: silence.address, during: during))
                case .whileThereIs(let file):
                    let path = Resource.path(file, namedIn: board.file)
                    simulated.inject(.unplugged(address: silence.address, whileThereIs: path))
                }
            }
            parts.buses[bus.name] = simulated
        }
    }

    /// The simulated twin of a board's chip, switched on at `start`.
    static func chip(
        _ chip: BoardDescription.Chip, of board: BoardDescription, _ input: PhysicalInput, seed: UInt64,
        start: MonotonicTime
    ) throws -> any SimulatedChip {
        let real = board.world?.substitutes.first { $0.address == chip.address }?.type ?? chip.type
        guard let entry = SimulatedCatalog.chip(named: real) else {
            let known = SimulatedCatalog.chips.map(\.name).joined(separator: ", ")
            throw ConfigError(
                file: board.file, path: "\(chip.path).type", line: board.line(of: chip.path),
                cause: "\(real) cannot be simulated; choose \(known)")
        }
        // A real chip's rate is off and its values are noisy, too.
        let specimen =
            entry.isMagnetometer
            ? Specimen(rateError: -0.004, noise: 0.3, seed: seed + 1)
            : Specimen(rateError: 0.008, noise: 0.002, seed: seed)
        return entry.make(chip.address, input, specimen, start)
    }

    private func addPanel(_ board: BoardDescription, clock: @escaping @Sendable () -> MonotonicTime) throws {
        let keys = try SimulatedKeys(path: "\(folder)/keys")
        self.keys = keys
        keyThread = try SteppedThread(keys, clock: clock)
        parts.keys = keys.path
        let first = try SimulatedPanelFolder(parent: folder, isColoured: board.lights.first?.isRGB ?? false)
        let others = try board.lights.dropFirst().map { try SimulatedPanelFolder(parent: folder, isColoured: $0.isRGB) }
        panels = [first] + others
        for (light, panel) in zip(board.lights, panels) { parts.lights[light.name] = panel.light }
        parts.buzzer = first.buzzer
        if board.vibration?.device == .simulated {
            let motor = try SimulatedPanelFolder(parent: folder)
            self.motor = motor
            parts.vibration = motor.buzzer
        }
    }

    private static func receiverLog(_ description: BoardDescription.World, of file: String) throws -> NMEALog {
        let path =
            try description.nmea.map { Resource.path($0, namedIn: file) } ?? Resource.path("studies/receiver.nmea")
        return NMEALog(try BoundedFile.read(path))
    }

    private func addReceiver(
        _ description: BoardDescription.World, of file: String, clock: any StudyClock, isDated: Bool
    ) throws {
        let wall: (@Sendable () -> Instant)? = isDated ? { @Sendable in clock.now } : nil
        let log = try Self.receiverLog(description, of: file)
        let line = try PseudoTerminal()
        parts.position = line.path
        gpsThread = try SteppedThread(SimulatedGPS(log, into: line, start: clock.monotonic, wall: wall)) {
            clock.monotonic
        }
    }

    private func addSound(_ board: BoardDescription, _ world: World, clock: any StudyClock, seconds: Int) throws {
        if let microphone = board.microphone, microphone.device == BoardDescription.simulated {
            let path = "\(folder)/room.raw"
            try SimulatedSound(world: world, rate: microphone.rate, start: clock.monotonic)
                .write(to: path, seconds: seconds)
            parts.microphone = PCMParameters(
                device: "room", configuration: ALSAConfiguration.filePlugin(name: "room", infile: path),
                rate: microphone.rate, pacing: .byClock)
        }
        if let loudspeaker = board.loudspeaker, loudspeaker.device == BoardDescription.simulated {
            parts.loudspeaker = PCMParameters(
                device: "speaker",
                configuration: ALSAConfiguration.filePlugin(name: "speaker", outfile: "\(folder)/speaker.raw"),
                rate: loudspeaker.rate, pacing: .byClock)
        }
    }
}
