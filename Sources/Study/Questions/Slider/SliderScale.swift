// SPDX-License-Identifier: Apache-2.0

/// The places of a slider as numbers from 0, for `SliderKind` and its questions.
struct SliderScale: Sendable, Hashable {
    /// A scale of this many places or more is refused: no participant steps through it.
    static let mostPlaces = 1_000_000
    /// The most places that one or two buttons walk through one by one; a longer scale is walked in stages.
    static let mostInOneStage = 12

    private let format: SliderFormat
    let count: Int

    init(_ format: SliderFormat) {
        self.format = format
        let places = ((format.maximum - format.minimum) / format.step + 1e-6).rounded(.down)
        count = format.step > 0 && places >= 0 && places < Double(Self.mostPlaces) ? Int(places) + 1 : 1
    }

    /// Where moving begins: the place the study proposes, nil where it proposes none.
    private var proposed: Int? {
        format.initial.map { initial in
            let place = ((initial - format.minimum) / format.step).rounded()
            return place > 0 ? Int(min(place, Double(count - 1))) : 0
        }
    }
    var start: Int { proposed ?? (count - 1) / 2 }

    /// The value at a place, without the rounding error of adding tenths.
    func value(_ place: Int) -> Double {
        let value = format.minimum + Double(place) * format.step
        return (value * 1e6).rounded() / 1e6
    }

    func text(_ place: Int) -> String { NumberText.text(value(place)) }

    /// The place of a value on the scale, nil beside it.
    func place(of value: Double) -> Int? {
        let place = ((value - format.minimum) / format.step).rounded()
        guard place >= 0, place < Double(count), abs(self.value(Int(place)) - value) < 1e-6 else { return nil }
        return Int(place)
    }
}
