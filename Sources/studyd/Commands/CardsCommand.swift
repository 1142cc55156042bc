// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import StudyEngine
import SystemKit

/// `studyd cards`: the printed sheet that goes with the device.
struct CardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards", abstract: "Makes the sheet of cards: each question's number, text, options and signals.",
        discussion: "Example: studyd cards study.json -o cards.html"
            + PlatformOptions.help([.reading]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var board: BoardOptions
    @OptionGroup var common: CommonOptions
    @Option(
        name: .long, help: "The participant's pseudonym, for addresses that end in it; default: a line to write it on.")
    var participant: String?
    @Option(name: .shortAndLong, help: "The HTML file; default: standard output.")
    var output: String?

    func run() throws {
        let study = try source.load().study
        let html = CardSheet(
            study, panel: try board.panel(), pictures: CardPictures.fetch(study), participant: participant
        ).html
        guard let output else { return Output.text(html) }
        try AtomicFile.write(Array(html.utf8), toNamed: output)
        Output.note("studyd: wrote \(output)")
    }
}
