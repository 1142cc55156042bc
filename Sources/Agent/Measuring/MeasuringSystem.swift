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
    /// Counters of the chips, by source.
    public let sensors: [(source: SourceDescription, watermark: Int, counters: SensorCounters)]
    private let ringBytes: Int

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
        capture = try plan.microphoneRing.map { ring in
            try PCMCapture(
                plan.microphone ?? PCMParameters(device: "", rate: 16_000), ring: ring, clock: setting.clock,
                priority: 10)
        }
        inputs = try Self.input(setting, plan.positionRing, onEdge)
    }

    /// How every measure is doing.
    public var states: [MeasureState] { recorder.states }
    /// Why chips give no samples.
    public var sensorFaults: [String] { sensors.compactMap { $0.counters.trouble?.fault.description } }
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
        _ setting: Setting, _ ring: FrameRing<ByteFrame>?, _ onEdge: @escaping @Sendable (ButtonEdge) -> Void
    ) throws -> InputThread {
        let buttons = try setting.devices.buttons()
        var lines: [SerialReader] = []
        if let ring, let path = setting.devices.serialPath, let position = setting.devices.board.position {
            lines.append(try SerialReader(path: path, baud: position.baud, ring: ring))
        }
        return try InputThread(
            name: "studyd-input", buttons: buttons, lines: lines, clock: setting.clock, priority: 15, onEdge: onEdge)
    }
}
