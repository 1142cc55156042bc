// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Simulation
import Study
import Terminal

/// Makes, for `Demo`, the picture of the board that is drawn, from what the agent shows and what its simulated
/// devices do.
struct DemoPicture {
    private let board: BoardDescription
    private let panel: Panel
    private let keys: DemoKeys
    private let names: [String]
    private let title: String
    private var strips: SignalStrips
    private var measures: [MeasureState] = []
    private var delivered = ""

    /// `address`: the lab server's page, shown in the title.
    init(_ board: BoardDescription, panel: Panel, address: String, trace: SignalTrace) {
        strips = SignalStrips(trace)
        self.board = board
        self.panel = panel
        names = board.buttons.map(\.terminalKey)
        keys = DemoKeys(buttons: names)
        title = "studyd-tools demo · \(board.name) · \(address)/"
    }

    mutating func record(_ measures: [MeasureState], _ ledger: Ledger) {
        self.measures = measures
        strips.record(measures)
        let (items, left) = (ledger.items, ledger.items.waiting + ledger.items.sending)
        delivered =
            "delivered \(items.delivered) of \(items.produced) items, \(left) to be sent"
            + (items.refused > 0 ? ", \(items.refused) refused" : "")
            + "; \(ledger.occurrences.completed) of \(ledger.occurrences.due) prompts answered"
    }

    /// The board as it is now. `states`: one for each light of the board, in its order; the first also has
    /// the buzzer.
    func picture(
        _ conductor: StudyConductor?, _ states: [SimulatedPanelFolder.State], _ narrator: Narrator, tellsReleases: Bool,
        log: [String], at now: Moment
    ) -> BoardPicture {
        var picture = BoardPicture()
        let words = narrator.language
        picture.title = title
        picture.clock = narrator.clock(now.instant)
        let lights = Array(zip(board.lights, states))
        picture.lights = lights.filter { $0.0.button == nil }.map {
            BoardPicture.Light(name: $0.0.name, colour: Self.colour($0.1), words: Self.words($0.1))
        }
        picture.sound = states.first?.tone.map { "\(Int($0)) Hz" } ?? ""
        picture.rhythm = now.monotonic < narrator.rhythm.until ? narrator.rhythm.text : ""
        picture.buttons = board.buttons.enumerated().map { index, button in
            let light = lights.first { $0.0.button == button.name }.flatMap { Self.colour($0.1) }
            return BoardPicture.Button(
                key: button.terminalKey, name: panel.printedName(of: index, in: words),
                meaning: tap(index, conductor?.session, words), isDown: narrator.down.contains(index), light: light)
        }
        picture.columns = board.columns
        picture.holds = holds(conductor?.session, words)
        picture.lastPress = narrator.lastPress
        picture.card = conductor.map { card($0, narrator, at: now) }
        picture.signals = strips.signals(measures)
        picture.delivered = delivered
        picture.log = log
        picture.legend = keys.legend(tellsReleases: tellsReleases, in: words)
        return picture
    }

    // MARK: - Buttons

    /// What a short press of that button would do now.
    private func tap(_ index: Int, _ session: PanelSession?, _ words: Words) -> String {
        guard let session, panel.buttons.indices.contains(index) else { return "" }
        guard let level = panel.holdTables[index].levels.first else { return "" }
        // It is a press like any other there; only a long hold opens the menu.
        if level.gesture == .menu, session.run?.takesPresses ?? false { return "" }
        return session.meaning(of: level.gesture).text(in: words)
    }

    private func holds(_ session: PanelSession?, _ words: Words) -> [String] {
        guard let session else { return [] }
        return panel.holdTables.enumerated().flatMap { index, table -> [String] in
            let levels = table.levels.dropFirst().compactMap { level -> String? in
                let meaning = session.meaning(of: level.gesture).text(in: words)
                let tenths = level.after.milliseconds / 100
                return meaning.isEmpty ? nil : "\(tenths / 10).\(tenths % 10) s \(meaning)"
            }
            return levels.isEmpty ? [] : ["hold [\(names[index])] " + levels.joined(separator: ", ")]
        }
    }

    // MARK: - What is asked

    private func card(_ conductor: StudyConductor, _ narrator: Narrator, at now: Moment) -> BoardPicture.Card {
        let (session, words) = (conductor.session, narrator.language)
        if let entries = session.entries {
            var card = BoardPicture.Card(heading: words(DemoPhrases.choose), text: narrator.caption)
            card.options = entries.entries.enumerated().map { index, entry in
                BoardPicture.Option(
                    text: "\(index + 1) \(entry.text(in: words))", isHere: index == entries.index, isTicked: nil)
            }
            return card
        }
        if let run = session.run { return card(run, conductor, narrator) }
        if !session.isIdle { return BoardPicture.Card(heading: words(DemoPhrases.saving), text: narrator.caption) }
        guard let prompt = session.currentPrompt else { return rest(conductor, narrator, at: now) }
        let text = [prompt.text.title, prompt.text.message].filter { !$0.isEmpty }.joined(separator: " – ")
        var card = BoardPicture.Card(heading: words(DemoPhrases.promptWaits), text: text)
        // Its only question can be answered by one press, without opening the task.
        if let asked = conductor.cards.cards.first(where: { $0.number == prompt.quickCard }) {
            card.currentPlace = words(DemoPhrases.card, "\(asked.number)", asked.step.text)
        }
        return card
    }

    private func rest(_ conductor: StudyConductor, _ narrator: Narrator, at now: Moment) -> BoardPicture.Card {
        let next = conductor.scheduler.upcoming(1).first
        let text =
            next.map { narrator.language(DemoPhrases.nextPrompt, narrator.moment($0.due, from: now.instant)) }
            ?? narrator.language(DemoPhrases.noPrompt(conductor.scheduler))
        return BoardPicture.Card(heading: narrator.language(DemoPhrases.atRest), text: text)
    }

    private func card(_ run: TaskRun, _ conductor: StudyConductor, _ narrator: Narrator) -> BoardPicture.Card {
        let (name, words) = (run.opened.task.name, narrator.language)
        guard let step = run.current else { return BoardPicture.Card(heading: name, text: narrator.caption) }
        let number = conductor.cards.number(task: run.opened.task.key, step: step.key) ?? 0
        var card = BoardPicture.Card(
            heading: words(DemoPhrases.card, "\(number)", name), text: run.currentText ?? step.text)
        // Drawn in the order of the study file, as on the card sheet; the run may present another.
        let filed = run.opened.task.content.steps.first { $0.key == step.key } ?? step
        switch filed.format {
        case .choice(let format):
            card.options = format.options.enumerated().map { index, option in
                var isHere = false
                if case .option(index + 1, _, _)? = run.currentPlace { isHere = true }
                return BoardPicture.Option(
                    text: "\(index + 1) \(option.text)", isHere: isHere,
                    isTicked: format.isMultiple ? run.tickedNumbers.contains(index + 1) : nil)
            }
        case .slider(let format): card.scale = Self.scale(format, run.currentPlace)
        default: break
        }
        card.drawing = run.drawing
        if card.drawing.isEmpty { card.currentPlace = run.currentPlace.map { $0.text(in: words) } ?? "" }
        if case .active = step.format { card.currentPlace = narrator.caption }
        card.complaint = narrator.complaint
        if case .asked(_, let answered) = PanelSupport(step, on: panel, in: words) { card.how = answered }
        return card
    }

    private static func scale(_ format: SliderFormat, _ currentPlace: Cue?) -> BoardPicture.Scale {
        var place: Double?
        if case .position(let text)? = currentPlace, let value = Double(text), format.maximum > format.minimum {
            place = (value - format.minimum) / (format.maximum - format.minimum)
        }
        func end(_ value: Double, _ label: String) -> String {
            let number = value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
            return label.isEmpty ? number : "\(number) \(label)"
        }
        return .init(
            low: end(format.minimum, format.minimumLabel), high: end(format.maximum, format.maximumLabel), place: place)
    }

    // MARK: - Lights

    private static func colour(_ state: SimulatedPanelFolder.State) -> TextStyle.Colour? {
        state.isLit ? TextStyle.Colour(state.red, state.green, state.blue) : nil
    }

    /// As a participant would call it.
    private static func words(_ state: SimulatedPanelFolder.State) -> String {
        guard state.isLit else { return "off" }
        switch (state.red > 127, state.green > 127, state.blue > 127) {
        case (true, true, true): return "white"
        case (true, true, false): return "yellow"
        case (true, false, true): return "violet"
        case (true, false, false): return "red"
        case (false, true, _): return "green"
        case (false, false, true): return "blue"
        default: return "on"
        }
    }
}
