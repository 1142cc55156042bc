// SPDX-License-Identifier: Apache-2.0
import Base

/// Drives one chip: identifies it, sets it up, fetches its samples into a ring, and accounts for every missing
/// one. `MeasuringPlan` makes one for each chip that studyd drives itself.
///
/// ```
///         identity right           awake, set-up read back
///  absent ──────────────▶ waking ─────────────────────────▶ running ─┐ fetch watermark by watermark
///    ▲ ▲ ◀─ set-up refused ─┘                                 │ ▲    │
///    │ └──────────────── forgot its set-up ───────────────────┤ └────┘
///    │                   or measures nothing                  ▼
///    └────────────── set-up lost, burst torn ───────────── doubtful   (a transaction failed, or another chip answered)
/// ```
/// A chip that begins asleep is waking for its `wakeUpTime`, during which the bus is free for
/// others. Trouble ends with the first sample and not with a set-up that was kept: a chip may
/// answer for ever and measure nothing. A failed transaction costs no samples by itself: the chip
/// goes on filling its FIFO, and once it answers again only what it has overwritten is lost. Used
/// only on its bus's thread, which calls `serve` by `ready` and `due`; other threads may read the
/// counters.
package final class SampledDevice: PolledDevice {
    private enum State {
        /// Not identified or not set up.
        case absent
        /// Waking up; what is written to it before `due` may be lost.
        case waking
        case running
        /// It was running when a transaction failed. In a torn burst it is unknown which samples
        /// have gone.
        case doubtful(tornBurst: Bool)
    }

    /// When to serve it at the latest (`SamplePace.nextLook`): with an interrupt line, once its edge
    /// has failed to come; without one a little after the next burst is complete. While the times of
    /// samples are not yet known well, at the likely time of one, so that the level shows whether it was
    /// taken: of the one after that burst (only without a line) or, where the chip has no room for two
    /// more, of the burst's last one.
    package private(set) var due: MonotonicTime
    /// It may be served from then on: when the next burst is certainly complete, or `due` where that is
    /// the likely time of its last sample.
    package private(set) var ready: MonotonicTime
    /// Its pin on a GPIO line; nil without one.
    package let interrupt: (any InterruptLine)?
    /// What it has done; any thread may read them.
    package let counters: SensorCounters
    package var source: SourceDescription { sensor.source }

    private var isRunning: Bool {
        if case .running = state { true } else { false }
    }
    private let sensor: any VectorSensor
    private let ring: FrameRing<VectorFrame>
    private let clock: (() -> MonotonicTime)?
    private let channels: UInt8
    /// The bytes of a burst; used again and again.
    private var bytes: [UInt8] = []
    private var state = State.absent
    private var pace: SamplePace
    private var gap = SampleGap()
    /// When a measurement is commanded; used only for a chip that measures on command.
    private var oneShot: OneShotSchedule
    /// How many of the next samples are thrown away, because the chip has not settled.
    private var unsettled = 0
    private var retry = Backoff()
    /// Something failed, and no sample has come since.
    private var isInTrouble = false
    /// The chip is set up again without having stopped: the sample it held before is still in its registers.
    private var holdsOldSample = false
    /// Since when the chip has held less than a burst each time it was asked; nil after a burst.
    private var shortSince: MonotonicTime?
    private var temperature = ChipTemperature()

    /// Drives `sensor` from `start` on, when it is first due, into `ring`. `clock` reads
    /// CLOCK_MONOTONIC, to measure how long a transaction takes; without it that counts as no time.
    package init(
        sensor: any VectorSensor, ring: FrameRing<VectorFrame>, counters: SensorCounters = SensorCounters(),
        interrupt: (any InterruptLine)? = nil, clock: (() -> MonotonicTime)? = nil, start: MonotonicTime
    ) {
        self.sensor = sensor
        self.ring = ring
        self.interrupt = interrupt
        self.clock = clock
        self.counters = counters
        channels = UInt8(sensor.source.channels.count)
        pace = SamplePace(nominalRate: sensor.source.nominalRate, start: start)
        due = start
        ready = start
        oneShot = OneShotSchedule(start: start)
    }

    /// Does what is due without an edge: looks for a chip that is absent, or reads what waits. On
    /// the bus's thread, which it blocks for as long as the bus takes.
    package func serve(at now: MonotonicTime) { serve(at: now, edge: nil) }

    /// Does what is due, woken by the interrupt line: `edge`, CLOCK_MONOTONIC, is when the sample that
    /// completes the watermark was taken, which times the burst better than `now`.
    package func serve(at now: MonotonicTime, edge: MonotonicTime?) {
        // A chip that is not running is retried when due, whatever its line does.
        if edge != nil, !isRunning, now < due { return }
        switch state {
        case .absent: bringUp(at: now)
        case .waking: setUp(at: now)
        case .running: drain(at: now, edge: edge)
        case .doubtful(let tornBurst): resume(at: now, tornBurst: tornBurst)
        }
    }

    /// Identifies the chip, wakes it, and sets it up once it listens.
    private func bringUp(at now: MonotonicTime) {
        if let cause = sensor.identityFault() { return fail(cause, at: now, then: .absent) }
        do throws(I2CError) {
            try sensor.wakeUp()
        } catch {
            return fail(.bus(error), at: now, then: .absent)
        }
        guard let rest = sensor.wakeUpTime else { return setUp(at: now) }
        state = .waking
        (ready, due) = (now + rest, now + rest)
    }

    /// Sets the chip up and believes only what it reads back; what it has missed until
    /// now becomes a gap.
    private func setUp(at now: MonotonicTime) {
        let asking = clock?() ?? now
        do throws(I2CError) {
            try sensor.setUp()
            guard try sensor.isSetUp() else { return fail(.ignoresSetUp, at: now, then: .absent) }
        } catch {
            return fail(.bus(error), at: now, then: .absent)
        }
        unsettled = sensor.unsettledSamples
        // Without a FIFO, a sample from before the set-up may still lie in the output registers, and
        // would be taken for the first after it.
        if sensor.depth == 1, holdsOldSample || unsettled > 0 && (counters.setUps > 0 || counters.errors > 0) {
            unsettled += 1
        }
        holdsOldSample = false
        // The time before the very first set-up is no gap, where nothing had failed.
        if counters.setUps > 0 || counters.errors > 0 { countLost(pace.produced(at: now), .deviceError) }
        oneShot.restart(from: asking, to: clock?() ?? now)
        pace.begin(at: oneShot.commandLatest)
        counters.countSetUp()
        (state, shortSince) = (.running, nil)
        scheduleNextBurst()
    }

    /// After a failed transaction: only reads the chip, and sets it up again only where it must.
    private func resume(at now: MonotonicTime, tornBurst: Bool) {
        let next = State.doubtful(tornBurst: tornBurst)
        if let cause = sensor.identityFault() { return fail(cause, at: now, then: next) }
        do throws(I2CError) {
            guard try sensor.isSetUp(), !tornBurst else { return bringUp(at: now) }
        } catch {
            return fail(.bus(error), at: now, then: next)
        }
        state = .running
        drain(at: now, edge: nil)
    }

    /// Fetches whole watermarks while there are any. Checks the identity first: another chip, or a
    /// line that is stuck, would read as a level and samples.
    private func drain(at start: MonotonicTime, edge: MonotonicTime?) {
        if let cause = sensor.identityFaultWhileMeasuring() {
            return fail(cause, at: start, then: .doubtful(tornBurst: false))
        }
        // The chip held what `waiting` says at a moment from `now` to `seen`.
        let (waiting, now, seen): (FIFOStatus, MonotonicTime, MonotonicTime)
        do throws(I2CError) {
            (waiting, now, seen) = try readLevel(since: start)
        } catch {
            return fail(.bus(error), at: start, then: .doubtful(tornBurst: false))
        }
        // A sample that was commanded long ago is too old to be given a time.
        if sensor.conversion != nil, waiting.level > 0, pace.produced(at: seen) >= 2 { return bringUp(at: seen) }
        if waiting.isOverrun || hasSkipped(waiting, at: seen) { countOverrun(waiting, at: seen) }
        updatePace(waiting, from: now, to: seen, edge: edge)
        guard waiting.level >= sensor.watermark else { return handleShortLevel(at: seen) }
        shortSince = nil
        readTemperature(at: now)
        let overflow = now + timeUntilOverwritten(room: sensor.depth - waiting.level)
        var left = waiting.level
        while left >= sensor.watermark {
            guard fetch(at: seen, before: overflow) else { return }
            left -= sensor.watermark
        }
        scheduleNextBurst()
    }

    /// What the chip held at a moment between `from` and `to`. Where the thread was held up in
    /// between, asks again, at most three times: the wider the interval, the less the level tells.
    private func readLevel(
        since now: MonotonicTime
    ) throws(I2CError) -> (waiting: FIFOStatus, from: MonotonicTime, to: MonotonicTime) {
        var waiting = try sensor.waiting()
        var (from, to) = (now, clock?() ?? now)
        for _ in 0..<3 where to - from > timeUntilOverwritten(room: 0) {
            let again = try sensor.waiting()
            waiting = FIFOStatus(level: again.level, isOverrun: waiting.isOverrun || again.isOverrun)
            (from, to) = (to, clock?() ?? to)
        }
        return (waiting, from, to)
    }

    /// After how long a chip with room for this many more samples may have overwritten what it said it
    /// holds.
    private func timeUntilOverwritten(room: Int) -> Duration {
        max(.milliseconds(5), pace.duration(ofSamples: max(Double(room), sensor.depth > 1 ? 2 : 0.5)))
    }

    /// At most once a minute. A failure is ignored here: the burst that follows will meet it, too.
    private func readTemperature(at now: MonotonicTime) {
        guard temperature.takeDue(at: now), let degrees = try? sensor.temperature() else { return }
        temperature.record(degrees)
    }

    /// Learns from the level when samples are taken. For a chip that measures on command the times of
    /// the commands say it.
    private func updatePace(
        _ waiting: FIFOStatus, from before: MonotonicTime, to after: MonotonicTime, edge: MonotonicTime?
    ) {
        guard sensor.conversion == nil else { return }
        pace.observe(waiting.level, isEnough: waiting.level >= sensor.watermark, from: before, to: after)
        // The line rises with the sample that completes a watermark; the last drain left less than one.
        if let edge, waiting.level >= sensor.watermark { pace.recordEdge(ofSample: sensor.watermark, at: edge) }
    }

    /// Fetches one burst, whose samples were all taken by `now`, into the ring; false when that failed,
    /// or ended after `overflow`, so that samples may have been overwritten during it.
    private func fetch(at now: MonotonicTime, before overflow: MonotonicTime) -> Bool {
        let asking = clock?() ?? now
        do throws(I2CError) {
            try sensor.burst(sensor.watermark, into: &bytes)
        } catch {
            fail(.bus(error), at: now, then: .doubtful(tornBurst: true))
            return false
        }
        let fetched = clock?() ?? now
        guard fetched <= overflow || sensor.conversion != nil else {
            holdsOldSample = true
            bringUp(at: fetched)
            return false
        }
        pace.countFetched(sensor.watermark)
        if let conversion = sensor.conversion {
            push(newest: oneShot.commandLatest + conversion, from: oneShot.commandEarliest)
            // The burst has commanded the next measurement.
            oneShot.recordCommand(from: asking, to: fetched)
            pace.begin(at: oneShot.commandLatest)
        } else {
            push(newest: min(now, pace.newestUpperBound), from: pace.newestLowerBound)
        }
        return true
    }

    /// Pushes the burst in `bytes`, whose last sample was taken between `earliest` and `newest`.
    private func push(newest: MonotonicTime, from earliest: MonotonicTime) {
        let lateBy = UInt32(clamping: max(1, (newest - earliest).nanoseconds / 1000))
        let last = sensor.watermark - 1
        for index in 0...last {
            guard !dropUnsettled() else { continue }
            endTrouble()
            guard !sensor.isBeyondRange(bytes, at: index) else {
                countLost(1, .outOfRange)
                continue
            }
            var frame = VectorFrame(values: sensor.counts(bytes, at: index), count: channels)
            frame.time = index == last ? newest : .zero
            frame.isStamped = index == last
            frame.lateBy = index == last ? lateBy : 0
            frame.lostBefore = gap.count
            frame.reason = gap.reason
            frame.centidegrees = temperature.centidegrees
            if ring.push(frame) {
                temperature.clear()
                counters.countRead()
                gap = SampleGap()
            } else {
                countLost(1, .ringFull)
            }
        }
    }

    /// True where the next sample of the burst is dropped, because the chip has not settled yet. Dropped
    /// samples are counted as lost, except at the first start.
    private func dropUnsettled() -> Bool {
        guard unsettled > 0 else { return false }
        unsettled -= 1
        if isResumed { countLost(1, .deviceError) }
        return true
    }

    /// False at the first start of a chip with which nothing has failed yet.
    private var isResumed: Bool { counters.setUps > 1 || counters.errors > 0 }

    private func scheduleNextBurst() {
        if let conversion = sensor.conversion {
            let skipped = oneShot.advance(by: pace.duration(ofSamples: 1), measuringFor: conversion)
            countLost(skipped, .chipOverrun)
            (ready, due) = (oneShot.next, oneShot.next)
        } else {
            (ready, due) = pace.nextLook(watermark: sensor.watermark, depth: sensor.depth, line: interrupt)
        }
    }

    /// The watermark is not reached: the chip is slower than estimated, or something is wrong with it,
    /// which is assumed after about twice the time of a burst. The second condition finds a chip that reports
    /// one overrun after another and so moves `accountedUntil` on without giving a sample.
    private func handleShortLevel(at now: MonotonicTime) {
        let since = shortSince ?? now
        shortSince = since
        let patience = pace.duration(ofSamples: 2 * Double(sensor.watermark + 2))
        guard now - pace.accountedUntil > patience || now - since > patience else {
            due = nextAttempt(after: now, within: patience)
            ready = due
            return
        }
        do throws(I2CError) {
            fail(try sensor.isSetUp() ? .stalled : .lostSetUp, at: now, then: .absent)
        } catch {
            fail(.bus(error), at: now, then: .doubtful(tornBurst: false))
        }
    }

    /// When to ask for the level again. Less often where the chip has been set up again and should have
    /// completed a burst by now, but has not.
    private func nextAttempt(after now: MonotonicTime, within patience: Duration) -> MonotonicTime {
        if isInTrouble, pace.certainTime(ofSample: sensor.watermark) <= now { return now + patience / 4 }
        guard sensor.conversion == nil else { return now + pace.duration(ofSamples: SamplePace.pollInterval) }
        return pace.lookAgain(watermark: sensor.watermark, depth: sensor.depth, after: now)
    }

    /// Not every chip without a FIFO tells that a sample was overwritten; time does.
    private func hasSkipped(_ waiting: FIFOStatus, at now: MonotonicTime) -> Bool {
        sensor.depth == 1 && sensor.conversion == nil && waiting.level == 1 && pace.likelyTime(ofSample: 2) < now
    }

    /// Counts what was overwritten before the samples that the chip still holds: one at least.
    private func countOverrun(_ waiting: FIFOStatus, at now: MonotonicTime) {
        let count = max(1, pace.produced(at: now) - waiting.level)
        countLost(count, .chipOverrun)
        pace.countLost(count)
    }

    /// Counts samples as lost; the next frame will carry them as a gap before it.
    private func countLost(_ count: Int, _ reason: LossReason) {
        guard count > 0 else { return }
        counters.countLost(count, reason)
        gap.add(count, reason)
    }

    /// A sample has come: the chip measures again.
    private func endTrouble() {
        guard isInTrouble else { return }
        isInTrouble = false
        retry.reset()
        counters.endTrouble()
    }

    /// Counts the error, takes `next` as the state, and retries after a pause that grows.
    private func fail(_ cause: SensorFault.Cause, at now: MonotonicTime, then next: State) {
        isInTrouble = true
        counters.countError(SensorFault(place: sensor.place, cause: cause), since: pace.accountedUntil)
        state = next
        due = now + retry.next()
        ready = due
    }
}

/// Samples missing since the last frame that went into the ring; the reason is that of the largest
/// number added at once, and of the first among equals.
struct SampleGap {
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
