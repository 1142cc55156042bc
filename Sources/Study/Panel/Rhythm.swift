// SPDX-License-Identifier: Apache-2.0

/// One on-time of a signal.
package enum Beat: Character, Sendable, Hashable {
    case blip = "'"
    case short = "."
    case long = "-"
    case extra = "="

    /// How long it is on.
    package var duration: Duration {
        switch self {
        case .blip: .milliseconds(50)
        case .short: .milliseconds(180)
        case .long: .milliseconds(600)
        case .extra: .milliseconds(1_400)
        }
    }
}

/// When a signal is on and off, without colour and pitch (`Cue.rhythm`). Written `'` blip, `.` short, `-` long,
/// `=` extra long, space = pause.
package struct Rhythm: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Beats that belong together; a pause separates groups.
    package var groups: [[Beat]]

    /// Off between beats of a group.
    package static let gap: Duration = .milliseconds(180)
    /// Off between groups.
    package static let pause: Duration = .milliseconds(600)

    /// These groups; empty ones are left out.
    package init(groups: [[Beat]]) { self.groups = groups.filter { !$0.isEmpty } }
    /// Reads the notation; other characters are passed over.
    package init(stringLiteral text: String) {
        self.init(groups: text.split(separator: " ").map { $0.compactMap(Beat.init(rawValue:)) })
    }

    /// The notation it is read from: `.- -` is a short and a long one, a pause, a long one.
    package var description: String { groups.map { String($0.map(\.rawValue)) }.joined(separator: " ") }

    /// The steps of a signal: `on` makes the step of a beat from its index in the whole rhythm; the steps
    /// between are off.
    package func steps(_ on: (Beat, Int) -> SignalStep) -> [SignalStep] {
        var steps: [SignalStep] = []
        var index = 0
        for group in groups {
            if !steps.isEmpty { steps.append(SignalStep(duration: Self.pause)) }
            for (place, beat) in group.enumerated() {
                if place > 0 { steps.append(SignalStep(duration: Self.gap)) }
                steps.append(on(beat, index))
                index += 1
            }
        }
        return steps
    }

    /// One after the other, with a pause between.
    package static func + (left: Rhythm, right: Rhythm) -> Rhythm { Rhythm(groups: left.groups + right.groups) }

    /// A number as it is counted out: a long for each ten, a short for each one, an extra long for
    /// each hundred; zero is blip, long, blip. Above 999 and below 0 its digits are given one by
    /// one.
    package static func number(_ number: Int) -> Rhythm {
        guard (1...999).contains(number) else { return digits(String(number)) }
        return Rhythm(groups: [
            Array(repeating: .extra, count: number / 100), Array(repeating: .long, count: number / 10 % 10),
            Array(repeating: .short, count: number % 10),
        ])
    }

    /// Digits given one by one, each as that many shorts; zero is blip, long, blip; a point or
    /// colon is blip, long, long, a minus is blip, extra long. Other characters are passed over.
    private static func digits(_ text: String) -> Rhythm {
        text.reduce(into: Rhythm(groups: [])) { rhythm, character in
            rhythm = rhythm + glyph(character)
        }
    }

    private static func glyph(_ character: Character) -> Rhythm {
        switch character {
        case "0": "'-'"
        case "1"..."9": number(character.wholeNumberValue ?? 0)
        case ".", ":": "'--"
        case "-": "'="
        default: Rhythm(groups: [])
        }
    }

    /// A value as digit groups: a whole number from 0 to 999 counted out, anything
    /// else digit by digit.
    package static func value(_ text: String) -> Rhythm {
        guard let whole = Int(text), (0...999).contains(whole) else { return digits(text) }
        return number(whole)
    }
}
