// SPDX-License-Identifier: Apache-2.0
import Hardware
import Recording
import Samples
import Sensors
import Times

/// Everything that measures: the buses' threads, the input thread, the microphone, and the thread that records.
///
/// Made for one enrolment; another one makes another. `start` and `stop` block: call them from a thread of their own.
public final class MeasuringSystem: Sendable {
    /// What a system is made from.
    public struct Setting: Sendable {
        let devices: BoardDevices
        let measures: [AgentConfiguration.Measure]
        let origin: RecordingOrigin
        let folder: RecordingFolder
        let clock: any StudyClock
        /// Kinds of sound: a microphone is opened for memos even where sound is not measured.
        let needsMicrophone: Bool
    }

    private let buses: [BusThread]
    private let inputs: InputThread
    private let capture: PCMCapture?
    private let recorder: RecorderThread
    private let memory = LockedMemory()
    /// The chips that are read.
    private let sensors: [MeasuringSensor]
    private let ringBytes: Int
    /// Parts that could not be opened at start, in words.
    private let absent: [String]

    /// Opens what is measured and starts. `onEdge` is called on the input thread and must only post.
    public init(
        _ setting: Setting, onEdge: @escaping @Sendable (ButtonEdge) -> Void,
        tell: @escaping @Sendable (RecorderThread.News) -> Void
    ) throws {
        var plan = MeasuringPlan(setting)
        try plan.addChips()
        try plan.addPosition()
        try plan.addSound()
        sensors = plan.sensors
        ringBytes = plan.ringBytes
        for ring in plan.vectorRings { memory.lock(ring) }
        recorder = try RecorderThread(
            sources: plan.sources, microphone: plan.microphoneRing, soundSource: plan.soundSource,
            origin: setting.origin,
            folder: setting.folder, clock: setting.clock, tell: tell)
        var buses: [BusThread] = []
        for bus in plan.buses {
            buses.append(
                try BusThread(name: "bus-" + bus, devices: plan.devices(of: bus), clock: setting.clock, priority: 20))
        }
        self.buses = buses
        var absent: [String] = []
        capture = Self.present("microphone", &absent) { try Self.capture(plan, setting) }
        inputs = try Self.input(setting, plan.positionRing, &absent, onEdge)
        self.absent = absent
    }

    /// A microphone or receiver that is not there stops nobody else: it is named in the status, and looked for at the next start.
    private static func present<Part>(_ name: String, _ absent: inout [String], _ open: () throws -> Part?) -> Part? {
        do { return try open() } catch {
            absent.append("\(name): \(error)")
            return nil
        }
    }

    private static func capture(_ plan: MeasuringPlan, _ setting: Setting) throws -> PCMCapture? {
        guard let ring = plan.microphoneRing, let microphone = plan.microphone else { return nil }
        return try PCMCapture(microphone, ring: ring, clock: setting.clock, priority: 10)
    }

    /// How every measure is doing.
    public var states: [MeasureState] { recorder.states }
    /// Why chips give no samples, and which parts were not there at start.
    public var sensorFaults: [String] {
        absent + sensors.compactMap(\.fault)
    }
    /// What it costs.
    public var cost: MeasuringCost {
        var cost = MeasuringCost()
        cost.wakeUps = buses.reduce(0) { $0 + $1.wakeUps }
        cost.watermarks = sensors.reduce(0) { $0 + $1.counters.read / $1.watermark }
        cost.ringBytes = ringBytes
        return cost
    }
    /// Why buttons went away.
    public var lostButtons: [String] { inputs.lostButtons.map(\.description) }

    /// The anchors of this boot.
    public func setAnchors(_ anchors: [ClockAnchor]) { recorder.setAnchors(anchors) }
    /// Begins a voice memo.
    public func startMemo(_ id: String) { recorder.startMemo(id) }
    /// Ends the voice memo.
    public func stopMemo() { recorder.stopMemo() }

    /// Stops measuring, then seals: nothing that was measured is left in a ring.
    public func stop() {
        for bus in buses { bus.stop() }
        capture?.stop()
        inputs.stop()
        recorder.stop()
    }

    private static func input(
        _ setting: Setting, _ ring: FrameRing<ByteFrame>?, _ absent: inout [String],
        _ onEdge: @escaping @Sendable (ButtonEdge) -> Void
    ) throws -> InputThread {
        let buttons = try setting.devices.buttons()
        var lines: [SerialReader] = []
        if let ring, let path = setting.devices.serialPath, let position = setting.devices.board.position {
            do { lines.append(try SerialReader(path: path, baud: position.baud, ring: ring)) } catch {
                absent.append("position: \(error)")
            }
        }
        return try InputThread(
            name: "studyd-input", buttons: buttons, lines: lines, clock: setting.clock, priority: 15, onEdge: onEdge)
    }
}
