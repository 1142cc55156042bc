// SPDX-License-Identifier: Apache-2.0
import AgentCore
import Hardware
import Recording
import Samples
import StudyModel
import Synchronization
import SystemKit
import Times

/// The one thread that takes samples from the rings to the disk: drains every second, rotates, seals.
///
/// It blocks on the disk and nobody waits for it; the rings bridge the time.
package final class RecorderThread: Sendable {
    /// One measure and where its samples come from.
    package struct Source: Sendable {
        let measure: MeasureConfiguration
        let input: RecorderInput
        let source: SourceDescription
    }

    /// A receiver that is listened to on its way to the recorder.
    struct Position: Sendable {
        let line: FrameRing<ByteFrame>
        /// nil when position is not recorded.
        let measure: FrameRing<ByteFrame>?
        /// nil when its time is not wanted.
        let listener: PositionWatch.Listener?
        let desk: ReceiverState
    }

    private let desk: RecorderState
    private let thread: Mutex<NamedThread?>

    /// Starts recording `sources` into `folder`; `microphone` is the ring of a microphone that is read, for measure and memos.
    init(
        sources: [Source], microphone: FrameRing<SoundFrame>?, soundSource: SourceDescription?,
        position: Position? = nil, origin: RecordingOrigin, folder: RecordingFolder, clock: any StudyClock,
        heartbeat: Heartbeat? = nil, tell: @escaping @Sendable (RecorderNews) -> Void
    ) throws {
        let desk = RecorderState(waker: try Waker())
        self.desk = desk
        let loop = try RecorderLoop(
            sources: sources, microphone: microphone, soundSource: soundSource, position: position, origin: origin,
            folder: folder, clock: clock, heartbeat: heartbeat, tell: tell)
        thread = Mutex(try NamedThread(name: "studyd-record") { desk.run(loop) })
    }

    /// How every measure is doing, as of the last drain; any thread.
    package var states: [MeasureState] { desk.latest.withLock { $0 } }

    /// The anchors of this boot, in the order of taking; any thread.
    package func setAnchors(_ new: [ClockAnchor]) { desk.anchors.withLock { $0 = new } }

    /// Begins to record what is spoken; `.memo` or `.memoFailed` follows its end.
    package func startMemo(_ id: String) { order(.startMemo(id)) }
    /// Ends the memo.
    package func stopMemo() { order(.stopMemo) }

    /// Begins to record for a run, beside what is recorded anyway; `.task` follows for each when it has ended.
    package func startTask(_ recordings: [TaskRecording]) { order(.startTask(recordings)) }
    /// Ends those of these ids.
    package func stopTask(_ ids: [String]) { order(.stopTask(ids)) }

    /// Measures in which direction the device points; `.direction` follows.
    package func findDirection() { order(.findDirection) }

    /// Seals everything and ends the thread; returns when it has.
    package func stop() {
        desk.waker.stop()
        thread.withLock { $0.take()?.join() }
    }

    /// Whether the thread lives: one that a disk holds does not answer.
    var sign: LifeSign { LifeSign("studyd-record", desk.waker) }

    private func order(_ order: RecorderOrder) {
        desk.orders.withLock { $0.append(order) }
        desk.waker.wake()
    }
}

private enum RecorderOrder: Sendable {
    case startMemo(String)
    case stopMemo
    case startTask([TaskRecording])
    case stopTask([String])
    case findDirection
}

/// What the recorder and its thread both hold.
private final class RecorderState: Sendable {
    let waker: Waker
    let orders = Mutex<[RecorderOrder]>([])
    let anchors = Mutex<[ClockAnchor]>([])
    let latest = Mutex<[MeasureState]>([])

    init(waker: Waker) { self.waker = waker }

    func run(_ loop: RecorderLoop) {
        waker.clear()
        while !waker.isStopping {
            waker.wait(atMost: loop.isEnding ? .milliseconds(100) : loop.hasInput ? .seconds(1) : nil)
            loop.pump()
            for order in orders.withLock({ orders in
                defer { orders = [] }
                return orders
            }) {
                switch order {
                case .startMemo(let id): loop.startMemo(id)
                case .stopMemo: loop.stopMemo(anchors.withLock { $0 })
                case .startTask(let recordings): loop.startTask(recordings)
                case .stopTask(let ids): loop.stopTask(ids)
                case .findDirection: loop.findDirection()
                }
            }
            let states = loop.drain(anchors.withLock { $0 })
            latest.withLock { $0 = states }
        }
        let states = loop.stop(anchors.withLock { $0 })
        latest.withLock { $0 = states }
    }
}

/// What the thread owns.
private final class RecorderLoop {
    private let recorders: [any SampleRecorder]
    private let splitter: SoundSplitter?
    private let position: PositionWatch?
    private let soundSource: SourceDescription?
    private let origin: RecordingOrigin
    private let folder: RecordingFolder
    private let clock: any StudyClock
    private let heartbeat: Heartbeat?
    private let tell: @Sendable (RecorderNews) -> Void
    private var memo: (id: String, recorder: any SampleRecorder)?
    private let tasks: TaskRecorders
    private let sources: [RecorderThread.Source]
    private var compass: CompassTap?
    private var storedBefore = 0
    private var toldAt: MonotonicTime?
    private var windows: [HourWindow]
    private let inputs: [RecorderInput]
    /// How full the rings were before they were emptied.
    private var fills: [Double]
    private let gauge = BatteryGauge()
    private var gaugeDue = MonotonicTime.zero

    init(
        sources: [RecorderThread.Source], microphone: FrameRing<SoundFrame>?, soundSource: SourceDescription?,
        position: RecorderThread.Position?, origin: RecordingOrigin, folder: RecordingFolder, clock: any StudyClock,
        heartbeat: Heartbeat?, tell: @escaping @Sendable (RecorderNews) -> Void
    ) throws {
        self.origin = origin
        self.folder = folder
        self.clock = clock
        self.heartbeat = heartbeat
        self.tell = tell
        self.soundSource = soundSource
        var measured: FrameRing<SoundFrame>?
        let recorders = try sources.map { source -> any SampleRecorder in
            if case .sound(let ring) = source.input { measured = ring }
            return try source.measure.recorder(of: source.input, source: source.source, origin: origin, folder: folder)
        }
        self.recorders = recorders
        self.sources = sources
        tasks = TaskRecorders(sources, recorders, origin: origin, folder: folder)
        windows = recorders.map { _ in HourWindow() }
        inputs = sources.map(\.input)
        fills = inputs.map { _ in 0 }
        self.position = position.map {
            PositionWatch(source: $0.line, measure: $0.measure, listener: $0.listener, desk: $0.desk)
        }
        splitter = microphone.map { SoundSplitter(source: $0, measure: measured) }
    }

    func pump() {
        splitter?.pump()
        position?.pump(at: clock.monotonic)
    }

    /// False where nothing is measured and nobody is listened to: then only an order wakes the thread.
    var hasInput: Bool { !recorders.isEmpty || splitter != nil || position != nil }

    /// What is behind the rings of a measure, in blocks and frames.
    private var waiting: Int { (splitter?.waiting ?? 0) + (position?.waiting ?? 0) }

    func drain(_ anchors: [ClockAnchor]) -> [MeasureState] {
        readBattery(at: clock.monotonic)
        for index in inputs.indices { fills[index] = inputs[index].fill }
        drainAll(anchors)
        let now = clock.monotonic
        heartbeat?.beat(at: now)
        reportProgress(at: now)
        return states(at: now)
    }

    /// Once a minute: a battery's voltage changes in hours.
    private func readBattery(at now: MonotonicTime) {
        guard now >= gaugeDue, !recorders.isEmpty else { return }
        gaugeDue = now + .seconds(60)
        let surroundings = Surroundings(battery: gauge.volts)
        for recorder in recorders { recorder.record(surroundings) }
    }

    /// After the disk has stalled more waits than the measures' own rings hold: round by round, as long as that helps.
    private func drainAll(_ anchors: [ClockAnchor]) {
        var left = Int.max
        repeat {
            let now = clock.monotonic
            send(recorders.flatMap { $0.drain(at: now, anchors: anchors) })
            if let memo { _ = memo.recorder.drain(at: now, anchors: anchors) }
            send(tasks.drain(at: now, anchors: anchors))
            drainCompass(at: now)
            guard waiting > 0, waiting < left else { return }
            left = waiting
            pump()
        } while true
    }

    /// Drains that come sooner than a second after the last say nothing about whether samples arrive.
    private func reportProgress(at now: MonotonicTime) {
        // Nobody presses a button every second.
        let steady = recorders.filter { $0.countedUnit != "events" }
        guard !steady.isEmpty, toldAt.map({ now - $0 >= .milliseconds(900) }) ?? true else { return }
        toldAt = now
        let stored = steady.reduce(0) { $0 + $1.counts.stored }
        tell(.progress(stored > storedBefore && recorders.allSatisfy { $0.fault == nil }))
        storedBefore = stored
    }

    func stop(_ anchors: [ClockAnchor]) -> [MeasureState] {
        pump()
        if waiting > 0 { drainAll(anchors) }
        stopMemo(anchors)
        send(recorders.flatMap { $0.stop(at: clock.monotonic, anchors: anchors) })
        send(tasks.stop(at: clock.monotonic, anchors: anchors))
        return states(at: clock.monotonic)
    }

    private func states(at now: MonotonicTime) -> [MeasureState] {
        recorders.indices.map { index in
            let lastHour = windows[index].add(recorders[index].counts, at: now)
            return MeasureState(recorders[index], lastHour: lastHour, ring: fills[index])
        }
    }

    func startMemo(_ id: String) {
        guard memo == nil, let splitter, let soundSource else { return tell(.memoFailed(id)) }
        let ring = FrameRing(capacity: 4096, repeating: SoundFrame(time: .zero))
        let measure = MeasureConfiguration(identifier: VoiceMemo.prefix + id, format: .flac)
        do {
            let recorder = try measure.recorder(of: .sound(ring), source: soundSource, origin: origin, folder: folder)
            memo = (id, recorder)
            splitter.memo = ring
        } catch {
            tell(.memoFailed(id))
        }
    }

    func stopMemo(_ anchors: [ClockAnchor]) {
        guard let memo else { return }
        self.memo = nil
        splitter?.memo = nil
        let sealed = memo.recorder.stop(at: clock.monotonic, anchors: anchors)
        if let file = sealed.last { tell(.memo(memo.id, file)) } else { tell(.memoFailed(memo.id)) }
    }

    /// Files wait for their last samples.
    var isEnding: Bool { tasks.isEnding }

    /// What waits in the rings belongs to it: up to a second of before, and nothing of the task's time is missed.
    func startTask(_ recordings: [TaskRecording]) { tasks.start(recordings) }

    func stopTask(_ ids: [String]) { tasks.stop(ids, at: clock.monotonic) }

    /// Asked again while it is being measured, one answer is enough.
    func findDirection() {
        guard compass == nil else { return }
        compass = CompassTap(sources, recorders, at: clock.monotonic)
        if compass == nil { tell(.direction(nil)) }
    }

    private func drainCompass(at now: MonotonicTime) {
        guard let found = compass?.drain(at: now) else { return }
        compass?.end()
        compass = nil
        tell(.direction(found))
    }

    private func send(_ ended: [TaskRecorded]) {
        for recorded in ended { tell(.task(recorded)) }
    }

    private func send(_ sealed: [SealedRecording]) {
        if !sealed.isEmpty { tell(.sealed(sealed)) }
    }
}
