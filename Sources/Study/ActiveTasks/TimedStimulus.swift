// SPDX-License-Identifier: Apache-2.0
import Base

/// Times the press that answers a light, attempt by attempt. Pure: presses, lights and times go in.
/// `ReactionTest` and `Vigilance` call `begin` for each attempt, then `press` and `shown` as they come, and
/// `tick` at `wake`.
///
/// ```
///        begin            waited                      shown              press, or too late
///  idle ───────▶ waiting ───────▶ lighting (light!) ─────────▶ lit ────────────────────────▶ result ─────▶ idle
///                   │                  │                                                        ▲
///                   │ press: early     │ press: judged once it is known when the light went on   │
///                   └──────────────────┴────────────────────────────────────────────────────────┘
/// ```
/// What counts is the time of the press itself, whenever it is reported.
package struct TimedStimulus: Sendable {
    /// What a press, a light or the time has decided.
    enum Verdict: Sendable, Hashable {
        /// Pressed before the light was on.
        case early(at: MonotonicTime)
        /// Pressed in time, this long after it went on.
        case pressed(Duration, ShownLight)
        /// Not pressed in time.
        case late(ShownLight)
    }
    /// What a tick has brought about.
    package enum Turn: Sendable, Hashable {
        /// The light is to go on, marked with that number.
        case light(Int)
        case late(ShownLight)
        /// The result was shown long enough.
        case next
        /// The light did not go on; it does not count.
        case dark
    }
    enum Phase: Sendable, Hashable {
        case idle
        case waiting(until: MonotonicTime)
        /// The light was asked for, and has not been reported as on; `press` came meanwhile.
        case lighting(since: MonotonicTime, press: MonotonicTime?)
        case lit(ShownLight)
        case result(until: MonotonicTime)
    }

    /// A light that is not on this long after it was asked for never will be.
    static let patience: Duration = .seconds(1)
    /// A press may be delivered this much later than it was made.
    static let delivery: Duration = .milliseconds(50)

    private(set) var phase = Phase.idle
    /// When the present attempt began.
    private(set) var began = MonotonicTime.zero
    /// Attempts thrown away: the light did not go on, or the menu was opened.
    private(set) var void = 0
    private let timeout: Duration
    private let resultTime: Duration
    /// Lights asked for so far, and the number of the last one.
    private var lights = 0

    /// Presses count until `timeout` after the light; a result is shown for `resultTime`.
    init(timeout: Duration, resultTime: Duration) { (self.timeout, self.resultTime) = (timeout, resultTime) }

    var wake: MonotonicTime? {
        switch phase {
        case .idle: nil
        case .waiting(let until), .result(let until): until
        case .lighting(let since, _): since + Self.patience
        case .lit(let light): light.time + timeout + Self.delivery
        }
    }

    /// Waits for the next light, which is to go on then.
    mutating func begin(at time: MonotonicTime, light: MonotonicTime) {
        (began, phase) = (time, .waiting(until: light))
    }

    mutating func press(at time: MonotonicTime) -> Verdict? {
        switch phase {
        case .idle, .result: return nil
        case .waiting: return time < began ? nil : decide(.early(at: time), at: time)
        case .lighting(let since, let earlier):
            phase = .lighting(since: since, press: earlier ?? time)
            return nil
        case .lit(let light): return judge(time, light)
        }
    }

    /// The device reports the light as on, or as failed: then `tick` gives `dark`. The verdict is that of a
    /// press that came before this report; nil where there was none.
    mutating func shown(_ light: ShownLight) -> Verdict? {
        guard case .lighting(_, let press) = phase, light.mark == lights else { return nil }
        guard light.isLit else {
            // As if the patience with it were over: `wake` is at once.
            phase = .lighting(since: light.ended - Self.patience, press: nil)
            return nil
        }
        phase = .lit(light)
        return press.map { judge($0, light) }
    }

    mutating func tick(at now: MonotonicTime) -> Turn? {
        guard let wake, wake <= now else { return nil }
        switch phase {
        case .idle: return nil
        case .waiting:
            lights += 1
            phase = .lighting(since: now, press: nil)
            return .light(lights)
        case .lighting:
            interrupt()
            return .dark
        case .lit(let light):
            _ = decide(.late(light), at: now)
            return .late(light)
        case .result:
            phase = .idle
            return .next
        }
    }

    /// Discards the attempt under way, and counts it as void, as it does the `results` that the
    /// caller takes back.
    mutating func interrupt(takingBack results: Int = 0) {
        void += results
        switch phase {
        case .waiting, .lighting, .lit: void += 1
        case .idle, .result: break
        }
        phase = .idle
    }

    private mutating func judge(_ press: MonotonicTime, _ light: ShownLight) -> Verdict {
        let reaction = press - light.time
        if reaction < .zero { return decide(.early(at: press), at: press) }
        if reaction > timeout { return decide(.late(light), at: press) }
        return decide(.pressed(reaction, light), at: press)
    }

    private mutating func decide(_ verdict: Verdict, at time: MonotonicTime) -> Verdict {
        phase = .result(until: time + resultTime)
        return verdict
    }
}
