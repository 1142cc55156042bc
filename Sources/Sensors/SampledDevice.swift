// SPDX-License-Identifier: Apache-2.0
import Hardware
import Samples
import Times

/// Drives one chip: identifies it, sets it up, fetches its samples into a ring, and accounts for every missing one.
///
/// ```
///          identity and set-up right
///  absent ──────────────────────────▶ running ─┐ fetch watermark by watermark
///    ▲ ▲                                │ ▲    │
///    │ └────── forgot its set-up ───────┤ └────┘
///    │         or measures nothing      ▼
///    └──── set-up lost, burst torn ── doubtful   (a transaction failed)
/// ```
/// A failed transaction costs no samples by itself: the chip goes on filling its FIFO, and once it answers again only
/// what it has overwritten is lost. Lives on its bus's thread; only the counters are for others.
public final class SampledDevice: PolledDevice {
    private enum State {
        /// Not identified or not set up.
        case absent
        case running
        /// It was running when a transaction failed. In a torn burst nobody knows which samples have gone.
        case doubtful(tornBurst: Bool)
    }

    /// When it next wants to be served: once the next burst should be complete.
    public private(set) var due: MonotonicTime
    /// What it has done; any thread may read them.
    public let counters: SensorCounters
    /// What its ring carries.
    public var source: SourceDescription { sensor.source }

    private let sensor: any VectorSensor
    private let ring: FrameRing<VectorFrame>
    private let channels: UInt8
    private var state = State.absent
    private var pace: SamplePace
    private var gap = Gap()
    private var retry = SampledDevice.firstRetry

    private static let firstRetry: Duration = .milliseconds(20)
    private static let longestRetry: Duration = .seconds(5)

    /// Drives `sensor` from `start` on, when it is first due, into `ring`.
    public init(
        sensor: any VectorSensor, ring: FrameRing<VectorFrame>, counters: SensorCounters = SensorCounters(),
        start: MonotonicTime
    ) {
        self.sensor = sensor
        self.ring = ring
        self.counters = counters
        channels = UInt8(sensor.source.channels.count)
        pace = SamplePace(nominalRate: sensor.source.nominalRate, start: start)
        due = start
    }

    public func serve(at now: MonotonicTime) {
        counters.countWakeup()
        switch state {
        case .absent: begin(at: now)
        case .running: drain(at: now)
        case .doubtful(let tornBurst): resume(at: now, tornBurst: tornBurst)
        }
    }

    /// Identifies the chip and sets it up; what it has missed until now becomes a gap.
    private func begin(at now: MonotonicTime) {
        if let cause = sensor.identityFault() { return fail(cause, at: now, then: .absent) }
        do throws(I2CError) {
            try sensor.setUp()
        } catch {
            return fail(.bus(error), at: now, then: .absent)
        }
        lose(pace.produced(at: now), .deviceError)
        pace.lost(until: now)
        counters.countSetUp()
        run(next: now + pace.time(Double(sensor.watermark) + (sensor.depth > 1 ? 0.5 : -slack)))
    }

    /// The chip has not answered; it is not written to before it is certain that it must be.
    private func resume(at now: MonotonicTime, tornBurst: Bool) {
        let next = State.doubtful(tornBurst: tornBurst)
        if let cause = sensor.identityFault() { return fail(cause, at: now, then: next) }
        do throws(I2CError) {
            guard try sensor.isSetUp(), !tornBurst else { return begin(at: now) }
        } catch {
            return fail(.bus(error), at: now, then: next)
        }
        run(next: now)
        drain(at: now)
    }

    /// Fetches whole watermarks while there are any.
    private func drain(at now: MonotonicTime) {
        let waiting: WaitingSamples
        do throws(I2CError) {
            waiting = try sensor.waiting()
        } catch {
            return fail(.bus(error), at: now, then: .doubtful(tornBurst: false))
        }
        // A sample that was asked for long ago is too old to be given a time.
        if sensor.conversion != nil, waiting.level > 0, pace.produced(at: now) >= 2 { return begin(at: now) }
        if waiting.isOverrun || hasSkipped(waiting, at: now) { countOverrun(waiting, at: now) }
        guard waiting.level >= sensor.watermark else { return wait(for: waiting, at: now) }
        var left = waiting.level
        while left >= sensor.watermark {
            guard fetch(leaving: left - sensor.watermark, at: now) else { return }
            left -= sensor.watermark
        }
        due = now + pace.time(Double(sensor.watermark - left) - slack)
    }

    /// One burst into the ring; false when it failed.
    private func fetch(leaving left: Int, at now: MonotonicTime) -> Bool {
        do throws(I2CError) {
            let bytes = try sensor.burst(sensor.watermark)
            let newest = now - pace.time(Double(left) + newestAge)
            push(bytes, newest: newest)
            pace.fetched(sensor.watermark, newest: newest)
            return true
        } catch {
            fail(.bus(error), at: now, then: .doubtful(tornBurst: true))
            return false
        }
    }

    private func push(_ bytes: [UInt8], newest: MonotonicTime) {
        let last = sensor.watermark - 1
        for index in 0...last {
            var frame = VectorFrame(values: sensor.counts(bytes, at: index), count: channels)
            frame.time = index == last ? newest : .zero
            frame.isStamped = index == last
            frame.lostBefore = gap.count
            frame.reason = gap.reason
            if ring.push(frame) {
                counters.countRead()
                gap = Gap()
            } else {
                lose(1, .ringFull)
            }
        }
    }

    /// The watermark is not reached: slower than thought, or something is wrong with the chip.
    private func wait(for waiting: WaitingSamples, at now: MonotonicTime) {
        let patience = pace.time(2 * Double(sensor.watermark + 2))
        guard now - pace.accountedUntil > patience else {
            due = now + pace.time(sensor.depth > 1 ? Double(sensor.watermark - waiting.level) : Self.pollInterval)
            return
        }
        do throws(I2CError) {
            fail(try sensor.isSetUp() ? .stalled : .lostSetUp, at: now, then: .absent)
        } catch {
            fail(.bus(error), at: now, then: .doubtful(tornBurst: false))
        }
    }

    /// Not every chip without a FIFO tells that a sample was overwritten; time does.
    private func hasSkipped(_ waiting: WaitingSamples, at now: MonotonicTime) -> Bool {
        sensor.depth == 1 && waiting.level == 1 && pace.produced(at: now) >= 2
    }

    /// At least one sample is missing before those that the chip still holds.
    private func countOverrun(_ waiting: WaitingSamples, at now: MonotonicTime) {
        lose(max(1, pace.produced(at: now) - waiting.level), .chipOverrun)
        pace.lost(until: now - pace.time(Double(waiting.level) + 0.5))
    }

    private func lose(_ count: Int, _ reason: LossReason) {
        guard count > 0 else { return }
        counters.countLost(count, reason)
        gap.add(count, reason)
    }

    private func run(next: MonotonicTime) {
        state = .running
        retry = Self.firstRetry
        due = next
        counters.endTrouble()
    }

    private func fail(_ cause: SensorFault.Cause, at now: MonotonicTime, then next: State) {
        counters.countError(SensorFault(place: sensor.place, cause: cause), since: pace.accountedUntil)
        state = next
        due = now + retry
        retry = min(retry * 2, Self.longestRetry)
    }

    /// A chip without a FIFO is asked early and then often, in periods, so that its time is known to a tenth.
    private static let pollInterval = 0.2
    private var slack: Double { sensor.depth > 1 || sensor.conversion != nil ? 0 : Self.pollInterval }
    /// The mean age of the newest sample when it is seen, in periods: seen at a random moment, or soon after it came, or
    /// measured right after the burst before.
    private var newestAge: Double {
        if let conversion = sensor.conversion { return max(0, 1 - conversion.seconds * pace.rate) }
        return sensor.depth > 1 ? 0.5 : Self.pollInterval / 2
    }
}

/// Samples missing since the last frame that went into the ring; the reason is that of the larger part.
private struct Gap {
    private(set) var count: UInt32 = 0
    private(set) var reason: UInt8 = 0
    private var largest = 0

    mutating func add(_ samples: Int, _ reason: LossReason) {
        count = UInt32(clamping: Int(count) + samples)
        guard samples > largest else { return }
        largest = samples
        self.reason = reason.rawValue
    }
}
