// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Study
import SystemKit

/// `studyd cards`: the printed sheet that goes with the device and says what its lights, sounds and options
/// mean.
struct CardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards",
        abstract: "Make the printable card sheet: each question's number, text, options and signals.",
        discussion: "Example: studyd cards study.json -o cards.html"
            + PlatformOptions.help([.reading]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var board: BoardOptions
    /// `--config` and `--state`, which every command accepts.
    @OptionGroup var unused: UnusedOptions
    @Option(
        name: .long,
        help: "The participant's pseudonym, for links that end in it (default: a blank line to write it on).")
    var participant: String?
    @Option(name: .long, help: "As at enrolment: usual, or slow for slow or trembling hands.")
    var holdTimes = HoldTimes.usual
    @Option(name: .shortAndLong, help: "The HTML file to write; - for standard output.", completion: .file())
    var output = "-"

    func run() throws {
        let study = try source.load().study
        var panel = try board.panel()
        panel.holdTimes = holdTimes
        let html = CardSheet(
            study, panel: panel, pictures: CardPictures.fetch(study), participant: participant
        ).html
        guard output != "-" else { return Output.text(html) }
        try AtomicFile.write(Array(html.utf8), toNamed: output)
        Output.remark("studyd: wrote \(output)")
    }
}
