// SPDX-License-Identifier: Apache-2.0
import Base

/// Drives one chip: identifies it, sets it up, fetches its samples into a ring, and accounts for
/// every missing one.
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
/// goes on filling its FIFO, and once it answers again only what it has overwritten is lost. Lives
/// on its bus's thread; only the counters are for others.
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

    /// When it wants to be served at the latest: with an interrupt line when that has failed to
    /// come; else, while the moments of samples are being sought, at that of the sample after the
    /// next burst's last, so that the level tells which side of it that was; and once they are
    /// known, a little after the burst is complete.
    package private(set) var due: MonotonicTime
    /// Once the next burst is certainly complete.
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
    /// Of a chip that measures only on command.
    private var turns: MeasurementTurns
    /// Samples that still come before the chip has settled.
    private var unsettled = 0
    private var retry = Backoff()
    /// No sample has come since something failed.
    private var isInTrouble = false
    /// It was set up again while it measured on: what it held then is still there.
    private var holdsOldSample = false
    /// Since when looks have found less than a burst; nil since the last burst.
    private var lacking: MonotonicTime?
    private var temperature = ChipTemperature()

    /// Drives `sensor` from `start` on, when it is first due, into `ring`. `clock` is
    /// CLOCK_MONOTONIC: with it the time that a look at the chip takes is known, else
    /// it counts as none.
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
        turns = MeasurementTurns(start: start)
    }

    /// Does what is due without an edge: looks for a chip that is absent, or reads what waits. On
    /// the bus's thread, which it blocks for as long as the bus takes.
    package func serve(at now: MonotonicTime) { serve(at: now, edge: nil) }

    /// The same, woken by its line: `edge`, CLOCK_MONOTONIC, is when the sample of the watermark
    /// was complete, which times the burst better than `now`.
    package func serve(at now: MonotonicTime, edge: MonotonicTime?) {
        // A chip in trouble is asked at its time, whatever its line does.
        if edge != nil, !isRunning, now < due { return }
        switch state {
        case .absent: begin(at: now)
        case .waking: setUp(at: now)
        case .running: drain(at: now, edge: edge)
        case .doubtful(let tornBurst): resume(at: now, tornBurst: tornBurst)
        }
    }

    /// Identifies the chip, wakes it, and sets it up once it listens.
    private func begin(at now: MonotonicTime) {
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
        // Without a FIFO a sample from before may still lie in the output registers, and would be
        // taken for the first of these.
        if sensor.depth == 1, holdsOldSample || unsettled > 0 && (counters.setUps > 0 || counters.errors > 0) {
            unsettled += 1
        }
        holdsOldSample = false
        // The moment until a chip that answers at once is set up is the beginning and no gap.
        if counters.setUps > 0 || counters.errors > 0 { lose(pace.produced(at: now), .deviceError) }
        turns.begin(from: asking, to: clock?() ?? now)
        pace.begin(at: turns.asked)
        counters.countSetUp()
        (state, lacking) = (.running, nil)
        expect()
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
        state = .running
        drain(at: now, edge: nil)
    }

    /// Fetches whole watermarks while there are any. What a stranger or a line that is stuck says
    /// is no level and no sample, so the chip is asked who it is before each.
    private func drain(at due: MonotonicTime, edge: MonotonicTime?) {
        if let cause = sensor.strangerFault() { return fail(cause, at: due, then: .doubtful(tornBurst: false)) }
        let (waiting, now, seen): (FIFOStatus, MonotonicTime, MonotonicTime)
        do throws(I2CError) {
            (waiting, now, seen) = try look(since: due)
        } catch {
            return fail(.bus(error), at: due, then: .doubtful(tornBurst: false))
        }
        // A sample that was asked for long ago is too old to be given a time.
        if sensor.conversion != nil, waiting.level > 0, pace.produced(at: seen) >= 2 { return begin(at: seen) }
        if waiting.isOverrun || hasSkipped(waiting, at: seen) { countOverrun(waiting, at: seen) }
        inspect(waiting, from: now, to: seen, edge: edge)
        guard waiting.level >= sensor.watermark else { return wait(for: waiting, at: seen) }
        lacking = nil
        readTemperature(at: now)
        let overflow = now + heldUp(sensor.depth - waiting.level)
        var left = waiting.level
        while left >= sensor.watermark {
            guard fetch(at: seen, before: overflow) else { return }
            left -= sensor.watermark
        }
        expect()
    }

    /// What the chip holds, of a moment between the two. A thread that is held up in between looks
    /// again: the longer ago the answer is, the less it tells.
    private func look(
        since now: MonotonicTime
    ) throws(I2CError) -> (waiting: FIFOStatus, from: MonotonicTime, to: MonotonicTime) {
        var waiting = try sensor.waiting()
        var (from, to) = (now, clock?() ?? now)
        for _ in 0..<3 where to - from > heldUp(0) {
            let again = try sensor.waiting()
            waiting = FIFOStatus(level: again.level, isOverrun: waiting.isOverrun || again.isOverrun)
            (from, to) = (to, clock?() ?? to)
        }
        return (waiting, from, to)
    }

    /// By when a chip with room for this many more samples may have overwritten what it said it
    /// holds.
    private func heldUp(_ room: Int) -> Duration {
        max(.milliseconds(5), pace.time(max(Double(room), sensor.depth > 1 ? 2 : 0.5)))
    }

    /// Now and then; a chip that does not answer is found out by what follows.
    private func readTemperature(at now: MonotonicTime) {
        guard temperature.takeDue(at: now), let degrees = try? sensor.temperature() else { return }
        temperature.record(degrees)
    }

    /// What the level says about when samples are taken. Of a chip that measures on command that is
    /// known without it.
    private func inspect(
        _ waiting: FIFOStatus, from before: MonotonicTime, to after: MonotonicTime, edge: MonotonicTime?
    ) {
        guard sensor.conversion == nil else { return }
        pace.observe(waiting.level, isEnough: waiting.level >= sensor.watermark, from: before, to: after)
        // The line rises with the sample that completes a watermark, of which none was left.
        if let edge, waiting.level >= sensor.watermark { pace.edge(sensor.watermark, at: edge) }
    }

    /// One burst, with all samples taken by `now`, into the ring; false when it failed, or came so
    /// late that it is unknown what is in it.
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
            begin(at: fetched)
            return false
        }
        pace.fetched(sensor.watermark)
        if let conversion = sensor.conversion {
            push(newest: turns.asked + conversion, from: turns.askedFrom)
            turns.ask(from: asking, to: fetched)
            pace.begin(at: turns.asked)
        } else {
            push(newest: min(now, pace.newest), from: pace.newestFrom)
        }
        return true
    }

    /// The last sample of the burst was taken between `earliest` and `newest`.
    private func push(newest: MonotonicTime, from earliest: MonotonicTime) {
        let lateBy = UInt32(clamping: max(1, (newest - earliest).nanoseconds / 1000))
        let last = sensor.watermark - 1
        for index in 0...last {
            guard isSettled() else { continue }
            endTrouble()
            guard !sensor.isBeyondRange(bytes, at: index) else {
                lose(1, .outOfRange)
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
                temperature.carried()
                counters.countRead()
                gap = SampleGap()
            } else {
                lose(1, .ringFull)
            }
        }
    }

    /// The next sample of the burst counts. Those before a chip has settled belong to its set-up:
    /// to the beginning, or to the gap.
    private func isSettled() -> Bool {
        guard unsettled > 0 else { return true }
        unsettled -= 1
        if isResumed { lose(1, .deviceError) }
        return false
    }

    /// The chip was in trouble before; else this is the beginning.
    private var isResumed: Bool { counters.setUps > 1 || counters.errors > 0 }

    /// When the next burst is asked for.
    private func expect() {
        if let conversion = sensor.conversion {
            lose(turns.advance(by: pace.time(1), measuringFor: conversion), .chipOverrun)
            (ready, due) = (turns.next, turns.next)
        } else {
            (ready, due) = pace.nextLook(watermark: sensor.watermark, depth: sensor.depth, line: interrupt)
        }
    }

    /// The watermark is not reached: slower than thought, or something is wrong with the chip. One
    /// that says again and again that it overran gives nothing either.
    private func wait(for waiting: FIFOStatus, at now: MonotonicTime) {
        let since = lacking ?? now
        lacking = since
        let patience = pace.time(2 * Double(sensor.watermark + 2))
        guard now - pace.accountedUntil > patience || now - since > patience else {
            due = lookAgain(after: now, within: patience)
            ready = due
            return
        }
        do throws(I2CError) {
            fail(try sensor.isSetUp() ? .stalled : .lostSetUp, at: now, then: .absent)
        } catch {
            fail(.bus(error), at: now, then: .doubtful(tornBurst: false))
        }
    }

    /// A chip that has given nothing since it was set up again, and should have by now, is not
    /// looked at sample by sample.
    private func lookAgain(after now: MonotonicTime, within patience: Duration) -> MonotonicTime {
        if isInTrouble, pace.certain(sensor.watermark) <= now { return now + patience / 4 }
        guard sensor.conversion == nil else { return now + pace.time(SamplePace.pollInterval) }
        return pace.lookAgain(watermark: sensor.watermark, depth: sensor.depth, after: now)
    }

    /// Not every chip without a FIFO tells that a sample was overwritten; time does.
    private func hasSkipped(_ waiting: FIFOStatus, at now: MonotonicTime) -> Bool {
        sensor.depth == 1 && sensor.conversion == nil && waiting.level == 1 && pace.likely(2) < now
    }

    /// At least one sample is missing before those that the chip still holds.
    private func countOverrun(_ waiting: FIFOStatus, at now: MonotonicTime) {
        let count = max(1, pace.produced(at: now) - waiting.level)
        lose(count, .chipOverrun)
        pace.lost(count)
    }

    private func lose(_ count: Int, _ reason: LossReason) {
        guard count > 0 else { return }
        counters.countLost(count, reason)
        gap.add(count, reason)
    }

    private func endTrouble() {
        guard isInTrouble else { return }
        isInTrouble = false
        retry.reset()
        counters.endTrouble()
    }

    private func fail(_ cause: SensorFault.Cause, at now: MonotonicTime, then next: State) {
        isInTrouble = true
        counters.countError(SensorFault(place: sensor.place, cause: cause), since: pace.accountedUntil)
        state = next
        due = now + retry.next()
        ready = due
    }
}
