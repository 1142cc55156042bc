// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// What the recorder thread owns and does: all methods are called on it. Each time it is awake it carries
/// out its orders, calls `pump`, then `drain`; `stop` comes last, and seals everything.
final class RecorderLoop {
    private let recorders: [any SampleRecorder]
    private let splitter: SoundSplitter?
    private let position: PositionWatch?
    private let clock: any StudyClock
    private let heartbeat: Heartbeat?
    /// Called on the recorder thread: it may post, and must not wait.
    private let onNews: @Sendable (RecorderNews) -> Void
    private let memo: SpokenMemo?
    private let pace: RecorderPace
    private let tasks: TaskRecorders
    private let journal: RecordingJournal
    private let sources: [RecorderThread.Source]
    private var compass: CompassTap?
    /// Samples that had arrived at the last report of progress, and when some had arrived last.
    private var arrivedBefore = 0
    private var lastArrival: MonotonicTime?
    private var reportedAt: MonotonicTime?
    /// Chips hand their samples over in bursts: of 20 or more, which take 20 s at 1 Hz.
    private static let longestBurst = Duration.seconds(35)
    /// A thread that sleeps for a second may wake up a little early.
    private static let reportPause = Duration.milliseconds(900)
    /// Of each recorder, the counts of the last hour.
    private var windows: [HourWindow]
    private let inputs: [RecorderInput]
    /// How full the rings were before they were emptied.
    private var fills: [Double]
    private let signals: SignalTap?
    private let features: FeatureTap?
    private let rules: RuleTap?
    private let gauge: BatteryGauge
    private var gaugeDue = MonotonicTime.zero

    /// Records `sources` into `folder`; `microphone` is the ring of a microphone that is read, for measure and memos.
    /// `withheld` is a pause of the sensors that still runs.
    init(
        sources: [RecorderThread.Source], microphone: FrameRing<SoundFrame>?, soundSource: SourceDescription?,
        position: PositionWatch? = nil, origin: RecordingOrigin, folder: RecordingFolder,
        clock: any StudyClock, heartbeat: Heartbeat? = nil, trace: SignalTrace? = nil,
        withheld: Range<MonotonicTime>? = nil, features: FeatureSettings? = nil, ruleFeatures: [RuleFeature] = [],
        gauge: BatteryGauge = BatteryGauge(),
        onNews: @escaping @Sendable (RecorderNews) -> Void
    ) throws {
        self.gauge = gauge
        self.clock = clock
        self.heartbeat = heartbeat
        self.onNews = onNews
        var measured: FrameRing<SoundFrame>?
        let recorders = try sources.map { source -> any SampleRecorder in
            if case .sound(let ring) = source.input { measured = ring }
            return try source.measure.recorder(of: source.input, source: source.source, origin: origin, folder: folder)
        }
        self.recorders = recorders
        self.sources = sources
        signals = trace.map { SignalTap($0, sources, recorders) }
        self.position = position
        self.features = try features.flatMap {
            try FeatureTap($0, sources, recorders, position, origin: origin, folder: folder)
        }
        rules = try RuleTap(ruleFeatures, sources, recorders)
        journal = RecordingJournal(in: folder)
        tasks = TaskRecorders(sources, recorders, origin: origin, folder: folder)
        windows = recorders.map { _ in HourWindow() }
        inputs = sources.map(\.input)
        fills = inputs.map { _ in 0 }
        if let microphone, let soundSource {
            let splitter = SoundSplitter(source: microphone, measure: measured, rate: soundSource.nominalRate)
            self.splitter = splitter
            memo = SpokenMemo(splitter, of: soundSource, origin: origin, folder: folder)
        } else {
            (splitter, memo) = (nil, nil)
        }
        pace = RecorderPace(start: clock.monotonic)
        if let withheld { withhold(withheld) }
    }

    /// Moves what the microphone and the receiver gave into the rings of their measures.
    func pump() {
        splitter?.pump()
        position?.pump(at: clock.monotonic)
    }

    /// How long the thread may sleep; nil where nothing is measured and no listener waits: then
    /// only a command wakes it.
    var sleepLimit: Duration? {
        if tasks.isEnding || memo?.isEnding == true { return RecorderPace.ending }
        guard !recorders.isEmpty || splitter != nil || position != nil else { return nil }
        let isAwaited = !tasks.isEmpty || memo?.isSpoken == true || compass != nil
        return pace.interval(at: clock.monotonic, isAwaited: isAwaited)
    }

    /// Blocks of sound and frames of the receiver for which the rings of their measures had no room.
    private var waiting: Int { (splitter?.waiting ?? 0) + (position?.waiting ?? 0) }

    /// Takes what waits in the rings to the disk. The disk may hold a round for seconds; `takeOrders` then
    /// carries out what was ordered meanwhile, before the samples of that time are handed on.
    func drain(_ anchors: [ClockAnchor], takeOrders: () -> Void = {}) -> [MeasureState] {
        readBattery(at: clock.monotonic)
        for index in inputs.indices { fills[index] = inputs[index].fill }
        drainAll(anchors, takeOrders)
        let now = clock.monotonic
        countMissing(at: now, isOver: false)
        heartbeat?.beat(at: now)
        reportProgress(at: now)
        return states(at: now)
    }

    /// Once a minute: a battery's voltage changes in hours.
    private func readBattery(at now: MonotonicTime) {
        guard now >= gaugeDue, !recorders.isEmpty else { return }
        gaugeDue = now + .seconds(60)
        let volts = gauge.volts
        for recorder in recorders { recorder.record(battery: volts) }
    }

    /// After the disk has stalled more waits than the measures' own rings hold: round by round, as
    /// long as that helps.
    private func drainAll(_ anchors: [ClockAnchor], _ takeOrders: () -> Void = {}) {
        var left = Int.max
        repeat {
            let now = clock.monotonic
            send(journal.drain(recorders, at: now, anchors: anchors))
            memo?.drain(at: now, anchors: anchors).map(onNews)
            send(tasks.drain(at: now, anchors: anchors))
            drainCompass(at: now)
            signals?.drain()
            features?.drain(at: now, anchors: anchors).forEach(onNews)
            rules?.drain(at: now, anchors: anchors).forEach(onNews)
            guard waiting > 0, waiting < left else { return }
            left = waiting
            takeOrders()
            pump()
        } while true
    }

    /// Once a second at most. What arrived is counted sample by sample: a file grows by whole blocks, which
    /// take longer than from one report to the next.
    private func reportProgress(at now: MonotonicTime) {
        // Buttons are not pressed every second.
        let steady = recorders.filter { $0.countedUnit != .events }
        guard !steady.isEmpty, reportedAt.map({ now - $0 >= Self.reportPause }) ?? true else { return }
        reportedAt = now
        let arrived = steady.reduce(0) { $0 + $1.counts.due - $1.counts.totalLost }
        if arrived > arrivedBefore { lastArrival = now }
        arrivedBefore = arrived
        let isArriving = lastArrival.map { now - $0 <= Self.longestBurst } ?? false
        onNews(.progress(isArriving && recorders.allSatisfy { $0.fault == nil }))
    }

    /// Counts samples of failed chips as lost. A failed chip may still hold samples, as many as it has room for:
    /// only what is older is lost, unless `isOver`, after which nothing is read any more.
    private func countMissing(at now: MonotonicTime, isOver: Bool) {
        for (recorder, source) in zip(recorders, sources) {
            guard let sensor = source.sensor, sensor.fault != nil else { continue }
            recorder.miss(until: isOver ? now : now - sensor.memory, .deviceError)
        }
    }

    func stop(_ anchors: [ClockAnchor]) -> [MeasureState] {
        pump()
        drainAll(anchors)
        countMissing(at: clock.monotonic, isOver: true)
        memo?.close(at: clock.monotonic, anchors: anchors).map(onNews)
        send(recorders.flatMap { $0.stop(at: clock.monotonic, anchors: anchors) })
        send(tasks.stop(at: clock.monotonic, anchors: anchors))
        features?.stop(at: clock.monotonic, anchors: anchors).forEach(onNews)
        journal.remove(after: recorders)
        return states(at: clock.monotonic)
    }

    private func states(at now: MonotonicTime) -> [MeasureState] {
        recorders.indices.map { index in
            let lastHour = windows[index].add(recorders[index].counts, at: now)
            return MeasureState(recorders[index], lastHour: lastHour, ring: fills[index])
        }
    }

    /// Begins a memo at `time`, that of the press, which may be a while ago. Only one is spoken at a time: a
    /// memo before it that still waits for its last sound gets the blocks that end before `time`, and is closed.
    func startMemo(_ id: String, from time: MonotonicTime, _ anchors: [ClockAnchor]) {
        splitter?.pump(before: time)
        if memo?.isEnding == true { memo?.close(at: clock.monotonic, anchors: anchors).map(onNews) }
        if memo?.start(id, at: time) != true { onNews(.memoFailed(id)) }
    }

    func mark(at time: MonotonicTime) { for recorder in recorders { recorder.mark(at: time) } }

    /// What is measured in that span is not kept. Buttons go on: they are the participant's own words.
    func withhold(_ span: Range<MonotonicTime>) {
        for recorder in recorders where recorder.countedUnit != .events { recorder.withhold(span) }
        features?.withhold(span)
        rules?.withhold(span)
    }

    /// `time` is that of the press, which may be a while ago.
    func stopMemo(at time: MonotonicTime) { memo?.end(after: time, at: clock.monotonic) }

    /// `time` is that of the order, which may be a while ago.
    func startTask(_ recordings: [TaskRecording], at time: MonotonicTime) { tasks.start(recordings, at: time) }

    func stopTask(_ ids: [String], at time: MonotonicTime) { tasks.stop(ids, at: time) }

    /// Answers by `.direction`; requests that come while it is being measured get the same answer.
    func findDirection() {
        guard compass == nil else { return }
        compass = CompassTap(sources, recorders, at: clock.monotonic)
        if compass == nil { onNews(.direction(nil)) }
    }

    private func drainCompass(at now: MonotonicTime) {
        guard let found = compass?.drain(at: now) else { return }
        compass?.end()
        compass = nil
        onNews(.direction(found))
    }

    private func send(_ ended: [TaskRecorded]) {
        for recorded in ended { onNews(.task(recorded)) }
    }

    private func send(_ sealed: [SealedRecording]) {
        if !sealed.isEmpty { onNews(.sealed(sealed)) }
    }
}
