// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study
import SystemKit

/// The board a study is checked against or played on: `--board` of `validate`, `simulate`, `cards` and `udev`.
struct BoardOptions: ParsableArguments {
    @Option(
        name: .long, help: "Board file, or the name of one that comes with studyd (default: simulated).",
        completion: .file(extensions: ["toml"]))
    var board: String?
    @Option(name: .long, help: "Language of a study that does not name one: en, de or es (default: en).")
    var language: String?

    func description() throws -> BoardDescription {
        try BoardDescription(at: board.map { try Resource.board($0) } ?? Resource.path("boards/simulated.toml"))
    }

    func panel() throws -> Panel {
        var panel = try Panel(description())
        if let language {
            guard !Language.primary(language).isEmpty else {
                throw ValidationError("--language \(language): unknown language; use e.g. de or es")
            }
            panel.language = language
        }
        return panel
    }
}
