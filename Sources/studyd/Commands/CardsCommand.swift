// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import StudyEngine
import SystemKit

/// `studyd cards`: the printed sheet that goes with the device.
struct CardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards",
        abstract: "Make the printable card sheet: each question's number, text, options and signals.",
        discussion: "Example: studyd cards study.json -o cards.html"
            + PlatformOptions.help([.reading]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var board: BoardOptions
    @OptionGroup var retired: RetiredOptions
    @Option(
        name: .long,
        help: "The participant's pseudonym, for links that end in it (default: a blank line to write it on).")
    var participant: String?
    @Option(name: .shortAndLong, help: "The HTML file to write; - for standard output.", completion: .file())
    var output = "-"

    func run() throws {
        let study = try source.load().study
        let html = CardSheet(
            study, panel: try board.panel(), pictures: CardPictures.fetch(study), participant: participant
        ).html
        guard output != "-" else { return Output.text(html) }
        try AtomicFile.write(Array(html.utf8), toNamed: output)
        Output.remark("studyd: wrote \(output)")
    }
}
