// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// What helps somebody far away to understand a device, as a zip archive that `studyd support` makes: how it is doing,
/// what it found wrong, its configuration, its journal, its machine. It says nothing of who takes part, what was
/// answered or where they were, and has no secret. Blocks.
package struct SupportBundle: Sendable {
    /// Runs a program and returns what it printed; nil where it failed.
    package typealias Run = @Sendable (_ words: [String]) -> String?

    private let configuration: String
    private let folder: String
    private let isStoreRead: Bool
    private let redaction: SupportRedaction
    private let run: Run

    /// `configuration` is the text of `studyd.toml`; `names` are texts that are known to be private.
    /// `isStoreRead` is false where the store could not be read, so that `names` lack the answers. The texts
    /// of the enrolment's backup are cut out in any case.
    package init(
        configuration: String, folder: String, names: [String], isStoreRead: Bool = true,
        run: @escaping Run = SupportBundle.output
    ) {
        (self.configuration, self.folder, self.isStoreRead, self.run) = (configuration, folder, isStoreRead, run)
        let kept = EnrolmentBackup(at: folder).read()?.privateTexts ?? []
        redaction = SupportRedaction(names: names + kept)
    }

    /// The archive. `status` is what `status --json` prints, `check` what `check` prints; nil where
    /// it cannot be had.
    package func archive(status: String?, check: String?, at now: Instant, in zone: Zone) throws -> [UInt8] {
        var archive = ZipArchive(at: zone.local(now))
        for (name, text) in entries(status: status, check: check) { try archive.add(name, Array(text.utf8)) }
        return archive.finish()
    }

    func entries(status: String?, check: String?) -> [(name: String, text: String)] {
        let missing = "not available\n"
        let shown = status.flatMap { try? JSONNode(Array($0.utf8)).value }.map { SupportStatus($0, redaction) }
        return [
            ("README.txt", Self.readme + (isStoreRead ? "" : Self.doubt)),
            ("status.json", shown?.json.indentedText ?? missing),
            ("check.txt", check.map(redaction.clean) ?? missing), ("versions.txt", versions),
            ("configuration.txt", redaction.clean(SupportConfiguration(configuration).text)),
            ("journal.txt", run(Self.journal).map(redaction.clean) ?? missing),
            ("kernel.txt", redaction.clean(KernelFacts(folder: folder).text)),
        ]
    }

    private var versions: String {
        let curl = (run(["curl", "--version"]) ?? "").split(whereSeparator: \.isNewline).prefix(1)
        return (["studyd \(AgentVersion.line)"] + curl.map(String.init)).joined(separator: "\n") + "\n"
    }

    /// The program for the last day's journal, without the host's name, which may be a person's.
    private static let journal = [
        "journalctl", "--unit=studyd", "--since=-1d", "--lines=5000", "--no-hostname", "--no-pager", "--quiet",
        "--output=short-iso",
    ]

    private static let readme = """
        How a studyd device is doing, for those who look after it. Names, answers, positions and secrets were left out; where words
        might have held one they read \(SupportRedaction.mark). Look through it before you pass it on.

        status.json         what 'studyd status --json' says, without study and participant
        check.txt           what 'studyd check' found
        versions.txt        the program
        configuration.txt   the configuration, without the texts that may be private
        journal.txt         the journal of the last day
        kernel.txt          the machine


        """

    /// The warning for a bundle without `isStoreRead`.
    package static let doubt = """
        The store could not be read, so answers and earlier participants could only be recognised by their form:
        look through every file with care.

        """

    /// Runs a program: the last mebibyte of what it printed; nil where it cannot be started, fails or takes
    /// longer than ten seconds.
    @Sendable package static func output(_ words: [String]) -> String? {
        let program = BoundedProgram(
            name: words.first ?? "", arguments: Array(words.dropFirst()), keepingLast: 1 << 20)
        guard let ended = try? program.run(input: [], limit: .seconds(10)), ended.status == 0 else { return nil }
        return ended.output
    }
}
