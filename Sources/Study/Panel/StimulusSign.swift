// SPDX-License-Identifier: Apache-2.0

/// What a light of a reaction test asks for, and how it looks: `ReactionStep` shows it by `Cue.stimulus`.
package enum StimulusSign: Sendable, Hashable {
    /// There is one light only.
    case plain
    /// A button is to be pressed; there is also a `noGo` light.
    case go
    /// No button is to be pressed.
    case noGo

    /// On a light without colours `noGo` flickers: it is on for this long, then off for as long.
    private static let flicker: Duration = .milliseconds(60)

    /// ResearchKit's colours: its tint, blue, for go, green for no-go.
    private var colour: SignalColour {
        switch self {
        case .plain: .white
        case .go: .blue
        case .noGo: .green
        }
    }

    /// The signal, `lasting` that long. `mark` is the number under which the first step reports when it was shown.
    func steps(_ mark: Int?, lasting: Duration, hasColours: Bool) -> [SignalStep] {
        if hasColours { return [SignalStep(light: colour, duration: lasting, mark: mark)] }
        guard self == .noGo else { return [SignalStep(light: .white, duration: lasting, mark: mark)] }
        let count = max(1, Int(lasting / Self.flicker / 2))
        return (0..<count).flatMap { index in
            [
                SignalStep(light: .white, duration: Self.flicker, mark: index == 0 ? mark : nil),
                SignalStep(duration: Self.flicker),
            ]
        }
    }
}
