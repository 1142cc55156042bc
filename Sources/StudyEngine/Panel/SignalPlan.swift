// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What the lights show, named so that a mono LED simply is on.
public enum LightColour: String, Sendable, Hashable, CaseIterable {
    case white, red, green, blue, yellow, violet
}

/// One step of a signal; everything it does not name is off.
public struct SignalStep: Sendable, Hashable {
    /// Shown by every indicator LED, or by the LEDs of the buttons where there is no other; nil = dark.
    public let light: LightColour?
    /// Shown by the LED of this button alone, where it has one; nil = by all that show signals.
    public let button: Int?
    /// True while the buzzer or the loudspeaker sounds.
    public let sounds: Bool
    /// In hertz, where the pitch can be set.
    public let pitch: Int?
    /// True while the motor runs.
    public let vibrates: Bool
    /// How long it stays so.
    public let duration: Duration
    /// The time at which it is shown is told under this number; nil = nobody asks.
    public let mark: Int?

    public init(
        light: LightColour? = nil, button: Int? = nil, sounds: Bool = false, pitch: Int? = nil, vibrates: Bool = false,
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
    public var isOn: Bool { light != nil || sounds || vibrates }
}

/// A signal ready to be played: it replaces whatever is being played.
public struct SignalPlan: Sendable, Hashable {
    /// What is told; of several the first.
    public let cue: Cue
    /// In order; alternately on and off.
    public let steps: [SignalStep]
    /// To be said after the steps, part by part; none without a loudspeaker or where there is nothing to say.
    public let speech: [Utterance]

    public init(cue: Cue, steps: [SignalStep], speech: [Utterance]) {
        self.cue = cue
        self.steps = steps
        self.speech = speech
    }

    /// How long the steps take.
    public var duration: Duration { steps.reduce(.zero) { $0 + $1.duration } }
}

extension SignalPlan {
    /// The same without sound, shaking and speech.
    public var lightOnly: SignalPlan {
        SignalPlan(
            cue: cue,
            steps: steps.map {
                SignalStep(light: $0.light, button: $0.button, duration: $0.duration, mark: $0.mark)
            },
            speech: [])
    }
}
