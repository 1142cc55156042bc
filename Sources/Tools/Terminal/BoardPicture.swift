// SPDX-License-Identifier: Apache-2.0

/// The state of a device, as `DemoPicture` puts it together and `BoardScreen` draws it. Texts are ready to be
/// read.
package struct BoardPicture: Sendable, Hashable {
    package struct Light: Sendable, Hashable {
        package var name: String
        /// nil = dark.
        package var colour: TextStyle.Colour?
        /// Its colour in words, for those who see none, or that it is off.
        package var words: String

        package init(name: String, colour: TextStyle.Colour?, words: String) {
            (self.name, self.colour, self.words) = (name, colour, words)
        }
    }
    package struct Button: Sendable, Hashable {
        /// The terminal's key that presses it.
        package var key: String
        package var name: String
        /// What a press of it would do now; empty = nothing.
        package var meaning: String
        package var isDown: Bool
        /// Its own light; nil where it has none, or it is dark.
        package var light: TextStyle.Colour?

        package init(key: String, name: String, meaning: String, isDown: Bool, light: TextStyle.Colour? = nil) {
            (self.key, self.name, self.meaning, self.isDown, self.light) = (key, name, meaning, isDown, light)
        }
    }
    package struct Option: Sendable, Hashable {
        /// As the card sheet numbers and prints it.
        package var text: String
        /// The participant's place is at this option.
        package var isHere: Bool
        /// nil where it cannot be ticked.
        package var isTicked: Bool?

        package init(text: String, isHere: Bool, isTicked: Bool?) {
            (self.text, self.isHere, self.isTicked) = (text, isHere, isTicked)
        }
    }
    /// Ends of a scale and the place on it, from 0 to 1; nil = not moved yet.
    package struct Scale: Sendable, Hashable {
        package var low: String
        package var high: String
        package var place: Double?

        package init(low: String, high: String, place: Double?) {
            (self.low, self.high, self.place) = (low, high, place)
        }
    }
    package struct Card: Sendable, Hashable {
        /// The question that is asked, or what is waited for.
        package var heading: String
        package var text: String
        /// What can be chosen; empty where nothing is.
        package var options: [Option] = []
        package var scale: Scale?
        /// What is entered or built so far, line by line.
        package var drawing: [String] = []
        /// Where the participant is, in words; empty before the first step.
        package var currentPlace = ""
        /// Why the last press did nothing.
        package var complaint = ""
        /// With which presses it is answered.
        package var how = ""

        package init(heading: String, text: String) { (self.heading, self.text) = (heading, text) }
    }
    /// What became of one second of a signal; `waiting`: measured, but in no file yet.
    package enum Second: Sendable, Hashable { case stored, waiting, partly, lost, none }
    package struct Signal: Sendable, Hashable {
        package var name: String
        /// How large it was in each second, the latest last; empty where it has no size, and what
        /// became of its seconds is drawn.
        package var sizes: [Double]
        package var unit: String
        /// The latest last.
        package var seconds: [Second]
        /// How full its ring was, 0 to 1.
        package var ring: Double
        package var figures: String

        package init(
            name: String, sizes: [Double] = [], unit: String = "", seconds: [Second], ring: Double, figures: String
        ) {
            (self.name, self.sizes, self.unit) = (name, sizes, unit)
            (self.seconds, self.ring, self.figures) = (seconds, ring, figures)
        }
    }

    package var title = ""
    package var clock = ""
    /// The lights that belong to no button.
    package var lights: [Light] = []
    /// What sounds, in words; empty = nothing.
    package var sound = ""
    /// The rhythm that lights or sounds give now, in the notation of the card sheet's drawings; empty = none.
    package var rhythm = ""
    package var buttons: [Button] = []
    /// How many buttons lie in a row; nil = all.
    package var columns: Int?
    /// What holding each button would do now, in words.
    package var holds: [String] = []
    /// The last press, how long it was and what it meant; empty = none yet.
    package var lastPress = ""
    /// nil = nothing is known yet.
    package var card: Card?
    /// In the order in which they are drawn.
    package var signals: [Signal] = []
    /// What has arrived at the server, in words.
    package var delivered = ""
    /// The oldest first.
    package var log: [String] = []
    package var legend: [String] = []

    package init() {}
}
