// SPDX-License-Identifier: Apache-2.0

/// The colour of a signal's light; an LED of one colour is on for any of them.
package enum SignalColour: String, Sendable, Hashable, CaseIterable {
    case white, red, green, blue, yellow, violet
}

/// One step of a signal; everything it does not name is off.
package struct SignalStep: Sendable, Hashable {
    /// Shown by every indicator LED, or by the LEDs of the buttons where there is no
    /// other; nil = dark.
    package let light: SignalColour?
    /// Shown by the LED of this button alone, where it has one; nil = by all that show signals.
    package let button: Int?
    /// True while the buzzer or the loudspeaker sounds.
    package let sounds: Bool
    /// In hertz, where the pitch can be set.
    package let pitch: Int?
    package let vibrates: Bool
    package let duration: Duration
    /// The time at which it is shown is reported under this number; nil = not needed.
    package let mark: Int?

    package init(
        light: SignalColour? = nil, button: Int? = nil, sounds: Bool = false, pitch: Int? = nil, vibrates: Bool = false,
        duration: Duration, mark: Int? = nil
    ) {
        self.mark = mark
        self.light = light
        self.button = button
        self.sounds = sounds
        self.pitch = pitch
        self.vibrates = vibrates
        self.duration = duration
    }

    /// True where anything is on.
    package var isOn: Bool { light != nil || sounds || vibrates }
}

/// A signal ready to be played: `Signals` makes it, and the agent's `SignalPlayer` and `Speaker` play it. It
/// replaces whatever is being played.
package struct SignalPlan: Sendable, Hashable {
    /// What is signalled; of several the first.
    package var cue: Cue { cues[0] }
    /// Everything that is signalled, in order; at least one.
    package let cues: [Cue]
    /// In order; alternately on and off.
    package let steps: [SignalStep]
    /// To be said after the steps, part by part; none without a loudspeaker or where there
    /// is nothing to say.
    package let speech: [Utterance]

    /// A signal of `cue`, and of what comes with it.
    package init(cue: Cue, and others: [Cue] = [], steps: [SignalStep], speech: [Utterance]) {
        cues = [cue] + others
        self.steps = steps
        self.speech = speech
    }

    package var duration: Duration { steps.reduce(.zero) { $0 + $1.duration } }

    /// How long the steps take, and the speech as an unhurried voice says it: 14
    /// characters a second.
    var playingTime: Duration {
        speech.reduce(duration) { $0 + .milliseconds(300 + 70 * $1.text.count) }
    }

    /// True where it is given by light alone: a sign of life, or what was said before and still
    /// holds.
    package var isLightOnly: Bool { speech.isEmpty && !steps.contains { $0.sounds || $0.vibrates } }
}

extension SignalPlan {
    /// The same without sound, shaking and speech.
    package var lightOnly: SignalPlan {
        SignalPlan(
            cue: cue, and: Array(cues.dropFirst()),
            steps: steps.map {
                SignalStep(light: $0.light, button: $0.button, duration: $0.duration, mark: $0.mark)
            },
            speech: [])
    }
}
