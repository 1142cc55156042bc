// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Platforms
import Study

/// A study and how it is read, for the commands that take one (`validate`, `plan`, `simulate`, `cards`,
/// `enroll`).
struct SourceOptions: ParsableArguments {
    @Argument(help: "The study: a file, a folder or an http(s) address.", completion: .file())
    var source: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Platform of the study: \(PlatformOptions.names(", ")) (default: detected).", valueName: "platform"),
        completion: .list(PlatformCatalog.standard.names))
    var format: String?

    @OptionGroup var platforms: PlatformOptions

    /// The platform that was asked for; nil = whatever the source looks like.
    func platform() throws -> PlatformName? {
        try format.map { name in
            guard PlatformCatalog.standard.names.contains(name) else {
                throw ValidationError("--format \(name): unknown platform; use \(PlatformOptions.names(", "))")
            }
            return PlatformName(rawValue: name)
        }
    }

    func load() throws -> LoadedStudy { try UnreadableStudy.naming(source) { try read() } }

    /// Throws `StudyFormatError` with every problem that was found.
    func read() throws -> LoadedStudy {
        try LoadedStudy.load(Resource.named(source), platform: try platform(), arguments: try platforms.arguments())
    }

    /// Warns on standard error of what in a study runs differently from what was most likely meant.
    static func warn(of study: StudyProtocol) {
        for line in RemarkList(study.remarks.filter { $0.kind == .warning }).lines { Output.remark("studyd: \(line)") }
    }
}
