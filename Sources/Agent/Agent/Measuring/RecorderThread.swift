// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import Synchronization
import SystemKit

/// The one thread that takes samples from the rings to the disk: it runs `RecorderLoop` as often as `RecorderPace`
/// says, and at each order of the agent's loop.
///
/// It blocks on the disk without delaying others; the rings bridge the time.
package final class RecorderThread: Sendable {
    /// One measure and where its samples come from.
    package struct Source: Sendable {
        let measure: MeasureConfiguration
        let input: RecorderInput
        let source: SourceDescription
        /// The chip; nil for what is none.
        var sensor: MeasuringSensor?
    }

    private let shared: RecorderState
    private let worker: WorkerThread
    private let clock: any StudyClock

    /// Starts the thread of `loop`. `anchors` are known before the first file is opened, which would else end as soon
    /// as there is one.
    init(_ loop: sending RecorderLoop, clock: any StudyClock, anchors: [ClockAnchor] = []) throws {
        let shared = RecorderState(waker: try Waker(), anchors: anchors)
        (self.shared, self.clock) = (shared, clock)
        worker = try WorkerThread(name: "studyd-record", waker: shared.waker) { shared.run(loop) }
    }

    /// How every measure is doing, as of the last drain; any thread.
    package var states: [MeasureState] { shared.latest.withLock { $0 } }

    /// The anchors of this boot, in the order of taking; any thread.
    package func setAnchors(_ new: [ClockAnchor]) { shared.anchors.withLock { $0 = new } }

    /// Begins to record what is spoken from now on into a separate file, also where the disk holds the thread; `.memo`
    /// or `.memoFailed` follows its end.
    package func startMemo(_ id: String) { order { [now = clock.monotonic] in $0.startMemo(id, from: now, $1) } }
    /// What is said from now on does not belong to it.
    package func stopMemo() { order { [now = clock.monotonic] loop, _ in loop.stopMemo(at: now) } }

    /// Begins to record for a run into separate files, beside what is recorded anyway; `.task` follows for each when it
    /// has ended.
    package func startTask(_ recordings: [TaskRecording]) {
        order { [now = clock.monotonic] loop, _ in loop.startTask(recordings, at: now) }
    }
    package func stopTask(_ ids: [String]) { order { [now = clock.monotonic] loop, _ in loop.stopTask(ids, at: now) } }

    /// Notes a mark at that time in recordings whose format can hold one; any thread.
    func mark(at time: MonotonicTime) { order { loop, _ in loop.mark(at: time) } }
    /// The participant has paused the sensors for that span: what is measured in it is not kept, presses are; any
    /// thread.
    func withhold(_ span: Range<MonotonicTime>) { order { loop, _ in loop.withhold(span) } }

    /// Measures in which direction the device points; `.direction` follows.
    package func findDirection() { order { loop, _ in loop.findDirection() } }

    /// Seals everything and ends the thread; returns when it has.
    package func stop() { worker.stop() }

    /// Whether the thread lives: one that a disk holds does not answer.
    var probe: LivenessProbe { worker.probe }

    private func order(_ order: @escaping RecorderOrder) {
        shared.orders.withLock { $0.append(order) }
        worker.wake()
    }
}

/// Runs on the recorder thread; gets the anchors known at that time.
private typealias RecorderOrder = @Sendable (RecorderLoop, [ClockAnchor]) -> Void

/// What the recorder and its thread both hold.
private final class RecorderState: Sendable {
    let waker: Waker
    let orders = Mutex<[RecorderOrder]>([])
    let anchors: Mutex<[ClockAnchor]>
    let latest = Mutex<[MeasureState]>([])

    init(waker: Waker, anchors: [ClockAnchor]) {
        self.waker = waker
        self.anchors = Mutex(anchors)
    }

    func run(_ loop: RecorderLoop) {
        waker.clear()
        while !waker.isStopping {
            waker.wait(atMost: loop.sleepLimit)
            carryOutOrders(in: loop)
            loop.pump()
            // Within it, too: the disk may hold it for seconds.
            let states = loop.drain(anchors.withLock { $0 }) { carryOutOrders(in: loop) }
            latest.withLock { $0 = states }
        }
        // What came while the disk held the last drain: a pause of the sensors is not to be missed.
        carryOutOrders(in: loop)
        let states = loop.stop(anchors.withLock { $0 })
        latest.withLock { $0 = states }
    }

    private func carryOutOrders(in loop: RecorderLoop) {
        let waiting = orders.withLock { orders in
            defer { orders = [] }
            return orders
        }
        for order in waiting { order(loop, anchors.withLock { $0 }) }
    }
}
