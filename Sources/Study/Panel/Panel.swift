// SPDX-License-Identifier: Apache-2.0

/// What a board has for presenting and answering: buttons, lights, sounds. Made of the board file
/// (`BoardPanel`), it decides what a study can ask and how it is pressed.
package struct Panel: Sendable, Hashable {
    /// What a button is for.
    package enum Role: Sendable, Hashable {
        /// The only button: steps on when tapped, and does everything else by the
        /// length of the hold.
        case only
        /// Of two buttons the one that steps: a tap steps on, a hold steps back.
        case step
        /// Of two buttons the one that chooses; holds undo, and open the menu.
        case choose
        /// Steps back at once, again and again while it is held.
        case previous
        /// Chooses; holds undo, and open the menu.
        case select
        /// Steps on at once, again and again while it is held.
        case next
        case undo, menu
        /// Opens the task of that key from idle.
        case task(String)
        /// Notes that something has happened, whatever the panel is doing.
        case marker
        /// Does nothing; its presses are only logged.
        case spare
    }
    /// One button; its number is its position in `buttons`.
    package struct Button: Sendable, Hashable {
        /// As in the board file, printed on the card sheet.
        package let name: String
        /// What its presses mean; holds may mean other things.
        package let role: Role
        /// Where the board file says so, for messages: `board.toml:12: button[3]`.
        package var place = ""
        package init(_ name: String, _ role: Role) { (self.name, self.role) = (name, role) }
    }
    package struct LED: Sendable, Hashable {
        /// Whether it has one colour, where rhythm alone tells, or can show any.
        package enum Kind: String, Sendable { case mono, rgb }
        /// As in the board file.
        package let name: String
        package let kind: Kind
        /// The button it belongs to; nil = a separate indicator.
        package let button: Int?
        package init(_ name: String, _ kind: Kind, button: Int? = nil) {
            (self.name, self.kind, self.button) = (name, kind, button)
        }
    }
    /// How a buzzer can be driven.
    package enum Buzzer: String, Sendable, Hashable {
        /// On and off only.
        case fixed
        /// Its pitch can be set.
        case pitched
    }
    /// Which of the three ways of pressing the panel has.
    package enum Layout: String, Sendable, CaseIterable {
        case one, two, three

        /// The gestures that answer a yes/no question.
        var yes: Gesture { self == .three ? .next : .select }
        var no: Gesture { self == .three ? .previous : .next }
    }

    /// A `ButtonEvent` names a button by its position here.
    package let buttons: [Button]
    /// May be empty where there is sound or vibration.
    package let leds: [LED]
    package let buzzer: Buzzer?
    /// A motor that shakes the device.
    package let hasVibration: Bool
    /// Texts are spoken, sounds are played.
    package let hasLoudspeaker: Bool
    /// Free text can be spoken.
    package let hasMicrophone: Bool
    /// A receiver can say where the participant is.
    package let hasPosition: Bool
    /// What the kernel of this board measures when it is asked: names of `DeviceReading`.
    package var readings: Set<String> = []
    /// The letters that free text is chosen from; nil = free text is spoken.
    package let letters: String?
    /// How many buttons lie in a row, where they lie in rows; nil = as in the largest
    /// square that they make.
    package let columns: Int?
    /// A span test may be played with shorter sequences than its study asks for.
    package let capsSpans: Bool
    /// The language in which it speaks where a study names none, as a tag: `de`, `en-GB`.
    package var language = Language.english.tag
    /// What kind of hands press it; of the participant, not of the board.
    package var holdTimes = HoldTimes.usual
    /// For how long the participant may pause the sensors; nil = not at all.
    package var pause: Duration?

    /// A panel of these parts; throws `PanelError` where no study could be run on it.
    package init(
        buttons: [Button], leds: [LED], buzzer: Buzzer?, hasVibration: Bool = false, hasLoudspeaker: Bool = false,
        hasMicrophone: Bool = false, hasPosition: Bool = false, letters: String? = nil,
        columns: Int? = nil, capsSpans: Bool = false
    ) throws {
        self.buttons = buttons
        self.leds = leds
        self.buzzer = buzzer
        self.hasVibration = hasVibration
        self.hasLoudspeaker = hasLoudspeaker
        self.hasMicrophone = hasMicrophone
        self.hasPosition = hasPosition
        self.letters = letters
        self.columns = columns
        self.capsSpans = capsSpans
        try check()
    }

    private init(reference: Void) {
        buttons = [Button("left", .previous), Button("middle", .select), Button("right", .next)]
        leds = [LED("light", .rgb)]
        buzzer = .pitched
        (hasVibration, hasLoudspeaker, hasMicrophone, hasPosition) = (false, false, false, false)
        letters = nil
        (columns, capsSpans) = (nil, false)
    }

    /// Three buttons in a row, one RGB LED, one buzzer with a variable pitch.
    package static let reference = Panel(reference: ())

    /// The buttons of these names with the roles that go with their number: one does everything;
    /// two step and choose; three are previous, select, next; a fourth undoes, a fifth opens the
    /// menu, further ones are spare. A button in `tasks` (its name → task key) opens that task,
    /// one in `markers` notes events; neither is counted.
    package static func buttons(
        named names: [String], tasks: [String: String] = [:], markers: Set<String> = []
    ) -> [Button] {
        let count = names.count { tasks[$0] == nil && !markers.contains($0) }
        let roles: [Role] =
            switch count {
            case 1: [.only]
            case 2: [.step, .choose]
            default: [.previous, .select, .next, .undo, .menu]
            }
        var taken = 0
        return names.map { name in
            if let task = tasks[name] { return Button(name, .task(task)) }
            if markers.contains(name) { return Button(name, .marker) }
            defer { taken += 1 }
            return Button(name, taken < roles.count ? roles[taken] : .spare)
        }
    }

    package var layout: Layout {
        if buttons.contains(where: { $0.role == .only }) { return .one }
        return buttons.contains { $0.role == .step } ? .two : .three
    }

    package var holdTables: [HoldTable] { buttons.map { HoldTable($0.role, holdTimes) } }

    var hasColours: Bool { leds.contains { $0.kind == .rgb } }

    package var hasSound: Bool { buzzer != nil || hasLoudspeaker }

    package func button(_ role: Role) -> Int? { buttons.firstIndex { $0.role == role } }

    private func check() throws {
        guard (1...16).contains(buttons.count) else { throw PanelError.buttonCount(buttons.count) }
        guard !leds.isEmpty || hasSound || hasVibration else { throw PanelError.mute }
        let complete: [[Role]] = [[.only], [.step, .choose], [.previous, .select, .next]]
        guard complete.contains(where: { $0.allSatisfy { button($0) != nil } }) else { throw PanelError.roles }
    }
}

/// Why a panel cannot run any study; `Panel.init` throws it.
package enum PanelError: Error, Hashable, CustomStringConvertible {
    case buttonCount(Int)
    case mute
    case roles

    package var description: String {
        switch self {
        case .buttonCount(let count): "panel: \(count) buttons; a panel needs 1 to 16. Name them in the board file"
        case .mute: "panel: no way to signal; name at least one LED, buzzer, vibration motor or loudspeaker"
        case .roles:
            "panel: these buttons are not enough to answer; use a single button, two (step and choose), or three (previous, select and next)"
        }
    }
}
