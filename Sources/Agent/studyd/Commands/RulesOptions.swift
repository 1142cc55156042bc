// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Study

/// `--rules`: a file of rules beside the study, for `enroll`, `plan`, `simulate` and `validate`.
struct RulesOptions: ParsableArguments {
    @Option(
        name: .customLong("rules"), help: "Rules beside the study: when sensors or chance prompt for its tasks.",
        completion: .file(extensions: ["toml"]))
    var path: String?
    @Flag(name: .long, help: "Allow probabilities outside 0.05 to 0.95.")
    var extreme = false

    func validate() throws {
        guard path != nil || !extreme else { throw ValidationError("--extreme is for --rules FILE") }
    }

    /// nil where none is given.
    func file() throws -> RulesFile? {
        try path.map { try RulesFile(Resource.named($0), allowsExtremes: extreme) }
    }

    /// The study with the rules of the file. They are not checked against a board's sensors.
    func beside(_ loaded: LoadedStudy) throws -> LoadedStudy {
        try file().map { loaded.with(try $0.read(for: loaded.study)) } ?? loaded
    }
}
