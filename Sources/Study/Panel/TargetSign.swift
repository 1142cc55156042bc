// SPDX-License-Identifier: Apache-2.0

/// What a target of a span test looks and sounds like: its light, where it has one, its pitch, and a number of
/// pulses. `SpanBoard` makes it, for `Cue.target`.
package struct TargetSign: Sendable, Hashable {
    /// How often it sounds, at least once; without a light of its own, the board's other lights go on as often.
    package let pulses: Int
    /// From the beginning of one pulse to that of the next; each is on for half of it.
    private let cycle: Duration
    /// In hertz; nil where the board has no pitch.
    package let pitch: Int?
    /// How long the light at its button shines without a break; nil = the board's other lights
    /// pulse with the sound.
    package let ownLight: Duration?

    package init(pulses: Int, cycle: Duration, pitch: Int?, ownLight: Duration?) {
        self.pulses = max(pulses, 1)
        self.cycle = cycle
        self.pitch = pitch
        self.ownLight = ownLight
    }

    /// From the first pulse to the end of the last one, or of the light.
    private var duration: Duration { max(sounding, ownLight ?? .zero) }

    /// A single short pulse with the same pitch, which acknowledges a right press.
    var brief: TargetSign {
        let light: Duration? = ownLight == nil ? nil : .milliseconds(180)
        return TargetSign(pulses: 1, cycle: .milliseconds(360), pitch: pitch, ownLight: light)
    }

    private var sounding: Duration { cycle / 2 * (2 * pulses - 1) }

    /// The signal's steps, cut wherever sound or light changes; `step` makes one of them.
    func steps(_ step: (_ isLit: Bool, _ sounds: Bool, Duration) -> SignalStep) -> [SignalStep] {
        let half = cycle / 2
        let edges = (1..<(2 * pulses)).map { half * $0 } + [ownLight, duration].compactMap(\.self)
        var steps: [SignalStep] = []
        var last = Duration.zero
        for edge in edges.sorted() where edge > last {
            // Sound is on in every even half cycle; 0.001 absorbs rounding of the quotient.
            let sounds = last < sounding && Int((last / half + 0.001).rounded(.down)).isMultiple(of: 2)
            steps.append(step(ownLight.map { last < $0 } ?? sounds, sounds, edge - last))
            last = edge
        }
        return steps
    }
}
