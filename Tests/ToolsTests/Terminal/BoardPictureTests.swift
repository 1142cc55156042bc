// SPDX-License-Identifier: Apache-2.0
import Terminal
import Testing

@Suite struct BoardPictureTests {
    /// What differs in anything that is drawn is drawn again.
    static let changes: [@Sendable (inout BoardPicture.Card) -> Void] = [
        { $0.heading = "" }, { $0.text = "" }, { $0.options[0].isHere = true }, { $0.options = [] }, { $0.scale = nil },
        { $0.scale?.low = "" }, { $0.scale?.high = "" }, { $0.scale?.place = nil }, { $0.drawing = [] },
        { $0.currentPlace = "" }, { $0.complaint = "" }, { $0.how = "" },
    ]

    @Test(arguments: changes.indices) func aCardIsAnotherWithAnotherOfAnyOfItsParts(_ index: Int) {
        var card = BoardPicture.Card(heading: "card 1", text: "How are you?")
        card.options = [.init(text: "well", isHere: false, isTicked: true)]
        card.scale = .init(low: "0", high: "10", place: 0.5)
        card.drawing = ["#"]
        (card.currentPlace, card.complaint, card.how) = ("1 of 2", "too short", "press")
        var other = card
        #expect(other == card && other.hashValue == card.hashValue)
        Self.changes[index](&other)
        #expect(other != card)
    }
}
