// SPDX-License-Identifier: Apache-2.0

/// What a light asks for.
package enum StimulusSign: Sendable, Hashable {
    /// There is one light only.
    case plain
    /// To be reacted to, where another one is not.
    case go
    /// Not to be reacted to.
    case noGo

    /// How long a light of one colour is on, and then off, where it is not to be reacted to.
    private static let flicker: Duration = .milliseconds(60)

    /// ResearchKit's colours: its tint, blue, for go, green for no-go.
    private var colour: LightColour {
        switch self {
        case .plain: .white
        case .go: .blue
        case .noGo: .green
        }
    }

    /// Its colour, where the board has colours; else go shines and no-go flickers.
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
