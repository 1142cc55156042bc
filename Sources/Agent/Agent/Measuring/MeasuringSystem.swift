// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Everything that measures: the buses' threads, the input thread, the microphone, and the thread that records.
///
/// `MeasuringControl` makes one for each enrolment. `init` and `stop` block: call them on a dedicated thread.
package final class MeasuringSystem: Sendable {
    package struct Setting: Sendable {
        let devices: BoardDevices
        let measures: [ConfiguredMeasure]
        let origin: RecordingOrigin
        let folder: RecordingFolder
        let clock: any StudyClock
        /// The study asks for sound: the microphone is opened even where sound is not measured.
        let needsMicrophone: Bool
        var holdTimes = HoldTimes.usual
        /// The study asks where the participant is: the receiver is listened to even where position
        /// is not measured.
        var needsPosition = false
        /// Who gets the receiver's time; nil = not needed, and a receiver that is not recorded
        /// stays closed.
        var listener: PositionWatch.Listener?
        /// Reports that measuring is alive; nil = not needed.
        var heartbeat: Heartbeat?
        /// Keeps the size of the signals for a board that is drawn; nil = nothing is drawn.
        var trace: SignalTrace?
        /// The participant's pause of the sensors, in which nothing is kept; nil = there is none.
        var withheld: Range<MonotonicTime>?
        /// What is computed from what is measured; nil = nothing.
        var features: FeatureSettings?
        var ruleFeatures: [RuleFeature] = []
        /// The anchors of this boot so far, as `setAnchors` takes them later.
        var anchors: [ClockAnchor] = []
    }

    private let buses: [BusThread]
    private let inputs: InputThread
    private let capture: PCMCapture?
    /// Takes the orders of the loop: memos, recordings of tasks, marks, pauses.
    package let recorder: RecorderThread
    private let memory = LockedMemory()
    private let sensors: [MeasuringSensor]
    private let ringBytes: Int
    /// Nil without a receiver.
    private let position: ReceiverState?
    /// Begins when its sensor has come, for which another system is made.
    private let awaited: [AwaitedMeasure]
    private let devices: BoardDevices
    private let clock: any StudyClock
    /// CLOCK_MONOTONIC from which on samples are due.
    let start: MonotonicTime
    /// What is due, in samples per second as asked for; bytes and events have no rate.
    let rates: [String: Double]

    /// Opens what is measured and starts. `onEdge` and `remark` are called on the input thread,
    /// `onNews` on the one that records; all must only post.
    package init(
        _ setting: Setting, onEdge: @escaping @Sendable (ButtonEdge) -> Void,
        remark: @escaping @Sendable (String) -> Void,
        onNews: @escaping @Sendable (RecorderNews) -> Void
    ) throws {
        var plan = MeasuringPlan(setting)
        try plan.addChips()
        try plan.addPosition()
        try plan.addSound()
        try plan.addButtons()
        sensors = plan.sensors
        awaited = plan.awaited
        rates = Self.rates(plan)
        devices = setting.devices
        ringBytes = plan.ringBytes
        for ring in plan.vectorRings { memory.lock(ring) }
        let line = plan.lineRing.flatMap { Self.line(setting, $0) }
        let shared = line.map { ReceiverState(line: $0.counters) }
        position = shared
        if let ring = plan.microphoneRing { memory.lock(ring) }
        if let ring = plan.lineRing { memory.lock(ring) }
        var watch: PositionWatch?
        if let ring = plan.lineRing, let shared {
            watch = PositionWatch(
                source: ring, measure: plan.positionRing, listener: setting.listener, shared: shared)
        }
        // Before the threads that fill the rings: it empties them.
        let loop = try RecorderLoop(
            sources: plan.sources, microphone: plan.microphoneRing, soundSource: plan.soundSource, position: watch,
            origin: setting.origin, folder: setting.folder, clock: setting.clock, heartbeat: setting.heartbeat,
            trace: setting.trace, withheld: setting.withheld, features: setting.features,
            ruleFeatures: setting.ruleFeatures, onNews: onNews)
        recorder = try RecorderThread(loop, clock: setting.clock, anchors: setting.anchors)
        clock = setting.clock
        start = setting.clock.monotonic
        var buses: [BusThread] = []
        for bus in plan.buses {
            buses.append(
                try BusThread(
                    name: "bus-" + bus, devices: plan.devices(of: bus), clock: setting.clock, priority: 20))
        }
        self.buses = buses
        capture = try Self.capture(plan, setting)
        inputs = try InputThread(
            name: "studyd-input", buttons: setting.devices.buttons(at: setting.clock.monotonic),
            lines: line.map { [$0] } ?? [],
            clock: setting.clock, priority: 15,
            // The tap leads to the ring that presses are recorded from; nil where they are not.
            onHum: { [tap = plan.tap, board = setting.devices.board] hum in
                tap?.forward(hum)
                remark(Self.words(for: hum, board))
            },
            onEdge: { [tap = plan.tap] edge in
                tap?.forward(edge)
                onEdge(edge)
            })
    }

    /// A missing microphone stops nothing else: it is named in the status and looked for until it
    /// appears.
    private static func capture(_ plan: MeasuringPlan, _ setting: Setting) throws -> PCMCapture? {
        guard let ring = plan.microphoneRing, let microphone = plan.microphone else { return nil }
        return try PCMCapture(microphone, ring: ring, clock: setting.clock, priority: 10, isAwaited: true)
    }

    static func rates(_ plan: MeasuringPlan) -> [String: Double] {
        let measured = plan.sources.map(\.source).filter { $0.kind != .position && $0.kind != .buttons }
            .map { ($0.kind.rawValue, $0.nominalRate) }
        return Dictionary(measured + plan.awaited.map { ($0.measure.channel.rawValue, $0.measure.rate) }) { $0 + $1 }
    }

    /// How every measure is doing. What a chip or a microphone that has not come yet would
    /// have given is lost.
    package var states: [MeasureState] {
        let age = clock.monotonic - start
        let isMicrophoneAwaited = capture?.counters.isAwaited ?? false
        let states = recorder.states.enumerated().map { index, state in
            // Sources of chips come first, in the order of the sensors.
            let isMissing =
                sensors.indices.contains(index)
                ? sensors[index].hasNotCome : state.kind == .sound && isMicrophoneAwaited
            return isMissing ? state.missing(for: age) : state
        }
        return (states + awaited.map { MeasureState(awaited: $0, for: age) }).map {
            $0.measured(since: start, until: start + age)
        }
    }
    /// A sensor that was awaited is there: another system would measure with it.
    package var isOutgrown: Bool {
        awaited.contains { $0.chips.contains { devices.kernelDevice($0) != nil } }
    }
    /// For the watchdog, of every thread that measures.
    var probes: [LivenessProbe] { buses.map(\.probe) + [capture?.probe, inputs.probe].compactMap(\.self) }
    /// Why chips give no samples, and which parts have not come yet.
    package var sensorFaults: [Explanation] {
        sensors.compactMap(\.lineFault) + sensors.compactMap(\.fault)
            + (capture?.trouble.map { [$0.within("microphone")] } ?? [])
            + [position?.fault(at: clock.monotonic)].compactMap(\.self)
    }
    /// What went wrong within the last minute and is over.
    package var passedFaults: [String] { capture?.passedTrouble.map { ["microphone: \($0)"] } ?? [] }
    package var positionText: String? { position?.text }
    /// Where the device is, in degrees; nil while no receiver knows.
    package var place: (latitude: Double, longitude: Double)? { position?.place(at: clock.monotonic) }
    package var cost: MeasuringCost {
        var cost = MeasuringCost()
        cost.wakeUps = buses.reduce(0) { $0 + $1.wakeUps }
        cost.watermarks = sensors.reduce(0) { $0 + $1.counters.read / $1.watermark }
        if let counters = capture?.counters {
            cost.wakeUps += counters.wakeUps
            cost.watermarks += counters.reads
        }
        cost.ringBytes = ringBytes
        return cost
    }
    package var lostButtons: [Explanation] {
        inputs.lostButtons.map { Explanation($0) }
            + inputs.humming.map { hum in
                Explanation(
                    place: Self.name(of: hum.button, devices.board),
                    cause: "its line does what no finger can; it is ignored until it has been at rest for 5 seconds",
                    remedy: "check its wire, its pull-up resistor and its contact")
            }
    }

    private static func name(of button: Int, _ board: BoardDescription) -> String {
        board.buttons.indices.contains(button) ? board.buttons[button].name : "\(button)"
    }

    /// The log's words about a button's line that hums (`ButtonHum`), a minute at a time.
    private static func words(for hum: ButtonHum, _ board: BoardDescription) -> String {
        "\(name(of: hum.button, board)): \(hum.edges) edges that no finger makes were ignored"
            + (hum.isOver ? "; the line is at rest again" : "")
    }

    /// Stops measuring, then seals: nothing that was measured is left in a ring. Threads that a
    /// driver holds for longer than the budget of an orderly end are left behind, and named.
    @discardableResult package func stop() -> [String] {
        let end = clock.monotonic + ShutdownBudget.measuring
        func left() -> Duration { max(.milliseconds(100), end - clock.monotonic) }
        var held = buses.filter { !$0.stop(within: left()) }.map(\.probe.name)
        if let capture, !capture.stop(within: left()) { held.append(capture.probe.name) }
        if !inputs.stop(within: left()) { held.append(inputs.probe.name) }
        recorder.stop()
        return held
    }

    /// The speed of the board file is tried first; a line that is not there is waited for.
    private static func line(_ setting: Setting, _ ring: FrameRing<ByteFrame>) -> SerialReader? {
        guard let path = setting.devices.serialPath, let position = setting.devices.board.position else { return nil }
        return SerialReader(
            path: path, search: BaudSearch(first: position.baud), ring: ring, at: setting.clock.monotonic)
    }
}

/// What measuring costs the device; `studyd status --json` shows it, with the counts since measuring began.
package struct MeasuringCost: Sendable, Hashable {
    /// How often the threads of the buses and of the microphone woke up.
    package var wakeUps = 0
    /// How often a chip's watermark (as many samples as its queue should hold when it is read) or a period of
    /// sound was fetched: as many wake-ups would do if each came in time and alone.
    package var watermarks = 0
    /// Memory of all rings, locked or not.
    package var ringBytes = 0

    package init() {}
}
