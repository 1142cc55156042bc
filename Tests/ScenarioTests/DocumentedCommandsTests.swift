// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Every line that the pages mark as runnable works as written, from a folder that has only what a
/// reader brings (`documented.py`); and what `make install` makes of the programs' help is read by
/// those who are to read it: man (groff) and bash.
@Suite(.timeLimit(.minutes(20))) struct DocumentedCommandsTests {
    @Test func everyRunnableLineOfTheDocumentationWorks() async throws {
        try await Stage.with { stage in
            let folder = String(
                Programs.studyd.prefix(upTo: Programs.studyd.lastIndex(of: "/") ?? Programs.studyd.endIndex))
            let child = try stage.start(["python3", Programs.package + "/Tests/ScenarioTests/documented.py", folder])
            let code = try await child.ended(within: .seconds(800))
            #expect(code == 0, "\(child.output)\n\(child.errors)")
        }
    }

    @Test func aMisspelledCommandIsAnsweredWithTheNearest() async throws {
        try await Stage.with { stage in
            for (words, meant) in [
                (["statsu"], "status"), (["recordings", "verfy", "x"], "verify"), (["outbox", "resnd"], "resend"),
            ] {
                let child = try stage.start([Programs.studyd] + words)
                #expect(try await child.ended() == 2)
                #expect(child.errors.contains("did you mean '\(meant)'?"), "\(child.errors)")
            }
        }
    }

    /// Groups of commands, too.
    @Test func theHelpOfACommandHasAnExample() async throws {
        try await Stage.with { stage in
            let devices = ["list", "approve", "revoke", "forget", "import", "codes", "key"].map { ["devices", $0] }
            let commands =
                [["recordings"], ["decode"], ["decode", "nmea"]].map { [Programs.studyd] + $0 }
                + [[Programs.tools, "decode"]] + ([["devices"]] + devices).map { [Programs.receiver] + $0 }
            for words in commands {
                let help = try stage.start(words + ["--help"])
                #expect(try await help.ended() == 0 && help.output.contains("Example: "), "\(words): \(help.output)")
            }
        }
    }

    @Test(
        arguments: [
            ("--enrolled", "yesterday", 2), ("--enrolled", "2026-02-29T09:00", 2),
            ("--enrolled", "2026-02-28T09:00", 0), ("--zone", "Mars/Base", 2), ("--zone", "UTC", 0),
            ("--days", "x", 2), ("--days", "1", 0),
        ] as [(String, String, Int32)])
    func aPlansWrongOptionIsWrongUse(_ option: String, _ value: String, _ code: Int32) async throws {
        try await Stage.with { stage in
            let study = Programs.package + "/studies/sleep-and-movement.json"
            let child = try stage.start([Programs.studyd, "plan", study, option, value])
            #expect(try await child.ended() == code, "\(child.errors)")
            #expect(code == 0 || child.errors.contains(option), "\(child.errors)")
        }
    }

    @Test func everyProgramSaysItsVersion() async throws {
        try await Stage.with { stage in
            for program in [Programs.studyd, Programs.tools, Programs.receiver] {
                let child = try stage.start([program, "--version"])
                #expect(try await child.ended() == 0)
                // Only `make release` names one.
                let commit = child.output.wholeMatch(of: /0\.9\.0 \(commit (unknown|[0-9a-f]{12})\)\n/)
                #expect(commit != nil, "\(program): \(child.output)")
                #expect(Programs.areNamed || commit?.1 == "unknown", "\(program): \(child.output)")
            }
        }
    }

    /// A script may pass both to every command; `simulate` takes its participant by either name.
    @Test func everyCommandTakesConfigAndState() async throws {
        try await Stage.with { stage in
            let study = Programs.package + "/studies/sleep-and-movement.json"
            let script = Programs.package + "/studies/participant.json"
            for words in [
                ["simulate", study, "--days", "1", "--participant", script],
                ["simulate", study, "--days", "1", "--script", script], ["plan", study, "--days", "1"],
                ["validate", study], ["cards", study, "-o", stage.folder + "/cards.html"], ["udev"],
                ["decode", "nmea", "/dev/null"],
            ] {
                let child = try stage.start([Programs.studyd] + words + ["--config", "x", "--state", "y"])
                #expect(try await child.ended() == 0, "\(words): \(child.errors)")
                #expect(!child.errors.contains("--config"), "\(words): \(child.errors)")
            }
        }
    }

    @Test func manualPagesAndCompletionsAreMadeFromTheHelp() async throws {
        try await Stage.with { stage in
            let folder = String(
                Programs.studyd.prefix(upTo: Programs.studyd.lastIndex(of: "/") ?? Programs.studyd.endIndex))
            let share = stage.folder + "/share"
            let made = try stage.start(["bash", Programs.package + "/.ci/install-help", folder, share])
            #expect(try await made.ended() == 0, "\(made.errors)")
            let pages = try FileManager.default.contentsOfDirectory(atPath: share + "/man/man1")
            #expect(
                ["studyd-recordings-verify.1", "studyd-tools-export.1", "study-receiver.1"].allSatisfy(pages.contains))
            #expect(pages.count > 25)
            let bash = try stage.start(["bash", "-n", share + "/bash-completion/completions/studyd"])
            #expect(try await bash.ended() == 0, "\(bash.errors)")
            let shells = try stage.start([
                "python3", Programs.package + "/Tests/ScenarioTests/completions.py", share, folder,
            ])
            #expect(try await shells.ended(within: .seconds(600)) == 0, "\(shells.output)\(shells.errors)")
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else {
                return print("SKIPPED groff: not installed")
            }
            for page in pages {
                let read = try stage.start(["groff", "-man", "-Tutf8", "-ww", share + "/man/man1/" + page])
                #expect(
                    try await read.ended() == 0 && read.errors.isEmpty, "\(page): \(read.errors)")
            }
        }
    }

    /// What was built before is installed. The configuration belongs to `init`: with one of our own
    /// beside it, dpkg would ask at each update.
    @Test func installingLeavesTheConfigurationToInit() async throws {
        try await Stage.with { stage in
            let folder = String(
                Programs.studyd.prefix(upTo: Programs.studyd.lastIndex(of: "/") ?? Programs.studyd.endIndex))
            let (built, root) = (stage.folder + "/built", stage.folder + "/root")
            try FileManager.default.createDirectory(atPath: built, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: built + "/release", withDestinationPath: folder)
            let file = root + "/etc/studyd/studyd.toml"
            func install() async throws {
                // "-o release": nothing is built.
                let child = try stage.start([
                    "make", "-s", "-C", Programs.package, "-o", "release", "install", "BUILD=\(built)",
                    "DESTDIR=\(root)",
                ])
                #expect(try await child.ended(within: .seconds(600)) == 0, "\(child.errors)")
            }
            try await install()
            #expect(!FileManager.default.fileExists(atPath: root + "/etc"))
            #expect(
                Files.text(root + "/usr/share/studyd/studyd.toml") == Files.text(Programs.package + "/docs/studyd.toml")
            )
            try FileManager.default.createDirectory(atPath: root + "/etc/studyd", withIntermediateDirectories: true)
            try Files.write("# mine\n", to: file)
            try await install()
            #expect(Files.text(file) == "# mine\n")
        }
    }
}
