// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import Synchronization

/// Everything that measures, stepped through virtual time on the caller's thread.
///
/// Drivers, rings and recorders are those of `MeasuringSystem`; this type fills the rings of microphone and
/// GPS receiver, as their reader threads do on a device. `PlayedDevice` calls `run` again and again, then
/// `stop` or `cut`.
final class SteppedMeasuring {
    private let surroundings: SimulatedSurroundings
    private let devices: BoardDevices
    private let schedules: [BusSchedule]
    /// For each schedule, when its bus may be served again: 1 ms after the last time, as by its thread.
    private var earliest: [MonotonicTime]
    private let loop: RecorderLoop
    private let microphone: FrameRing<SoundFrame>?
    /// How long one block of the microphone lasts.
    private let blockTime: Duration
    private var nextBlock: MonotonicTime
    private let isSoundMeasured: Bool
    /// Without that, sound is simulated only until this moment, for a memo: otherwise it would be dropped.
    private var listensUntil = MonotonicTime.zero
    private let line: FrameRing<ByteFrame>?
    private var nextSentence: MonotonicTime
    private let receiver: ReceiverState?
    private let tap: ButtonTap?
    private let collected: Collected
    private var nextDrain: MonotonicTime
    /// As of the last drain.
    private(set) var states: [MeasureState] = []
    /// The anchors of this boot, in the order of taking.
    var anchors: [ClockAnchor] = []
    let start: MonotonicTime
    /// Nominal samples a second, by measure.
    let rates: [String: Double]

    /// What the recorders reported since the last `take`.
    private final class Collected: Sendable {
        private let news = Mutex<[RecorderNews]>([])
        func add(_ one: RecorderNews) { news.withLock { $0.append(one) } }
        func take() -> [RecorderNews] {
            news.withLock { news in
                defer { news = [] }
                return news
            }
        }
    }

    /// Measuring begins now, by the clock of `surroundings`.
    init(_ setting: MeasuringSystem.Setting, in surroundings: SimulatedSurroundings) throws {
        var plan = MeasuringPlan(setting)
        try plan.addChips()
        try plan.addPosition()
        try plan.addSound()
        try plan.addButtons()
        let collected = Collected()
        let receiver = plan.lineRing.map { _ in ReceiverState(line: nil) }
        loop = try RecorderLoop(
            sources: plan.sources, microphone: plan.microphoneRing, soundSource: plan.soundSource,
            position: plan.lineRing.flatMap { ring in
                receiver.map { PositionWatch(source: ring, measure: plan.positionRing, listener: nil, shared: $0) }
            }, origin: setting.origin, folder: setting.folder, clock: setting.clock, heartbeat: nil, trace: nil,
            features: setting.features, ruleFeatures: setting.ruleFeatures, gauge: BatteryGauge(root: ""),
            onNews: collected.add)
        (self.surroundings, self.collected, self.receiver, devices) = (
            surroundings, collected, receiver, setting.devices
        )
        schedules = try plan.buses.map { BusSchedule(try plan.devices(of: $0)) }
        start = setting.clock.monotonic
        earliest = schedules.map { _ in .zero }
        (microphone, line, tap) = (plan.microphoneRing, plan.lineRing, plan.tap)
        isSoundMeasured = plan.sources.contains { $0.source.kind == .sound }
        blockTime = .seconds(Double(SoundFrame.capacity) / Double(plan.microphone?.rate ?? 1))
        (nextBlock, nextSentence, nextDrain) = (start, start + .seconds(1), start + RecorderPace.first)
        rates = MeasuringSystem.rates(plan)
    }

    private var now: MonotonicTime { surroundings.clock.monotonic }

    /// Where the device is; nil while no receiver knows.
    var place: DeviceNews {
        (receiver?.place(at: now)).map { .position(latitude: $0.latitude, longitude: $0.longitude) } ?? .noPosition
    }

    /// Measures and records until `end`. Returns what the recorders reported.
    func run(until end: MonotonicTime) -> [RecorderNews] {
        while nextDrain <= end {
            measure(until: nextDrain)
            loop.pump()
            states = loop.drain(anchors)
            nextDrain = now + max(.milliseconds(1), loop.sleepLimit ?? RecorderPace.steady)
        }
        measure(until: end)
        return collected.take()
    }

    /// An orderly end: everything is sealed.
    func stop() -> [RecorderNews] {
        measure(until: now)
        states = loop.stop(anchors).map { $0.measured(since: start, until: now) }
        devices.close()
        return collected.take()
    }

    /// The power fails: nothing is sealed.
    func cut() { devices.close() }

    // The orders of the core, as `RecorderThread` has them.

    func forward(_ edge: ButtonEdge) { tap?.forward(edge) }
    func mark(at time: MonotonicTime) { loop.mark(at: time) }
    func withhold(_ span: Range<MonotonicTime>) { loop.withhold(span) }
    func startMemo(_ id: String) {
        // Until `stopMemo`, after which the last block still comes.
        listensUntil = now + .seconds(86_400)
        order { loop.startMemo(id, from: now, anchors) }
    }
    func stopMemo() {
        listensUntil = now + .seconds(2)
        order { loop.stopMemo(at: now) }
    }
    func startTask(_ recordings: [TaskRecording]) { order { loop.startTask(recordings, at: now) } }
    func stopTask(_ ids: [String]) { order { loop.stopTask(ids, at: now) } }

    /// Gives the recorders an order; they drain at once, as on a device, where an order wakes their thread.
    private func order(_ body: () -> Void) {
        loop.pump()
        body()
        nextDrain = now
    }

    // MARK: - Sources

    private func measure(until end: MonotonicTime) {
        while let (index, due) = next, due <= end {
            surroundings.advance(due)
            schedules[index].serve(at: now) { [clock = surroundings.clock] in clock.monotonic }
            earliest[index] = now + .milliseconds(1)
        }
        surroundings.advance(end)
        if let microphone { hear(into: microphone, until: end) }
        if let line { listen(into: line, until: end) }
    }

    private var next: (index: Int, due: MonotonicTime)? {
        var next: (index: Int, due: MonotonicTime)?
        for index in schedules.indices {
            guard let due = schedules[index].due.map({ max($0, earliest[index]) }) else { continue }
            if next.map({ due < $0.due }) ?? true { next = (index, due) }
        }
        return next
    }

    private func hear(into ring: FrameRing<SoundFrame>, until end: MonotonicTime) {
        guard isSoundMeasured || end <= listensUntil else {
            nextBlock = end
            return
        }
        while nextBlock + blockTime <= end {
            var frame = SoundFrame(time: nextBlock)
            frame.count = UInt16(SoundFrame.capacity)
            surroundings.hear(&frame)
            ring.push(frame)
            nextBlock = nextBlock + blockTime
        }
    }

    /// Sends the sentences of each second 200 ms after it, a millisecond for each byte.
    private func listen(into ring: FrameRing<ByteFrame>, until end: MonotonicTime) {
        while nextSentence + .milliseconds(300) <= end {
            let first = nextSentence + .milliseconds(200)
            let blocks = ByteFrame.blocks(of: surroundings.sentences(nextSentence)) { first + .milliseconds(Int64($0)) }
            for block in blocks { ring.push(block) }
            nextSentence = nextSentence + .seconds(1)
        }
    }
}
