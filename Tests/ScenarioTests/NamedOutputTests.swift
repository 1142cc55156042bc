// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// The output that a command names is written to, whatever it is, and what could not be written is
/// a failure.
///
/// The facts are the kernel's: full(4) "writes to the /dev/full device fail with an ENOSPC error";
/// open(2), O_EXCL: "if pathname is a symbolic link, then the open fails regardless of where the
/// symbolic link points"; rename(2) replaces whatever has the name. A tool that loses output ends
/// with a status above 0 (POSIX.1-2024, 1.4 "Consequences of Errors").
@Suite(.timeLimit(.minutes(20))) struct NamedOutputTests {
    /// A device that is enrolled, and its files.
    static func enrolled(_ stage: Stage) async throws {
        try stage.configure(recordings: nil, measures: [])
        try stage.board()
        try Files.write(
            LabStudy(postURL: "http://127.0.0.1:9/none", modules: [LabStudy.always("pain", question: "level")]).text,
            to: stage.folder + "/study.json")
        let enrolled = try await stage.studyd("enroll", stage.folder + "/study.json", "--participant", "P8")
        #expect(enrolled.code == 0, "\(enrolled)")
    }

    private static func run(_ stage: Stage, _ words: [String], to target: String) async throws -> Stage.Finished {
        let child = try stage.start(["sh", "-c", "exec \"$@\" > \(target)", "sh", Programs.program(of: words)] + words)
        return Stage.Finished(
            code: try await child.ended(), output: child.output, errors: child.errors)
    }

    @Test func everyCommandSaysThatItsOutputWasLost() async throws {
        try await Stage.with { stage in
            try await Self.enrolled(stage)
            let study = stage.folder + "/study.json"
            let config = ["--config", stage.folder + "/studyd.toml"]
            let track = Programs.package + "/studies/receiver.nmea"
            let commands: [[String]] = [
                ["validate", study] + config, ["plan", study, "--days", "2"] + config,
                ["simulate", study, "--days", "2"] + config, ["cards", study] + config,
                ["cards", study, "-o", "/dev/full"] + config,
                ["export", track, "--to", "csv"], ["export", track, "--to", "gpx"],
                ["export", track, "--to", "csv", "-o", "/dev/full"], ["plot", track],
                ["plot", track, "-o", "/dev/full"], ["recordings", "show", track],
                ["recordings", "verify", track], ["status"] + config, ["status", "--json"] + config,
                ["study"] + config, ["history", "--svg"] + config,
                ["verify-log"] + config, ["check", "--json"] + config, ["withdraw", "--delete-unsent"] + config,
                ["--help"], ["--version"], ["cards", "--help"],
            ]
            for words in commands {
                let finished = try await Self.run(stage, words, to: "/dev/full")
                #expect(finished.code == 1, "\(words): \(finished)")
                #expect(finished.errors.contains("No space left on device"), "\(words): \(finished)")
            }
            // A reader that has had enough is no failure.
            let head = try stage.start(["sh", "-c", "\(Programs.studyd) --help | true; exit 0"])
            #expect(try await head.ended() == 0 && head.errors.isEmpty, "\(head.errors)")
        }
    }

    /// The commands with `-o`, and what they write.
    private static func writers(_ stage: Stage) -> [(words: [String], begins: String)] {
        let track = Programs.package + "/studies/receiver.nmea"
        return [
            (
                ["cards", stage.folder + "/study.json", "--config", stage.folder + "/studyd.toml", "-o"],
                "<!DOCTYPE html>"
            ),
            (["export", track, "--to", "gpx", "-o"], "<?xml"),
            (["plot", track, "-o"], "<svg"),
        ]
    }

    @Test func devicesPipesAndLinksAreWrittenToAndStayWhatTheyAre() async throws {
        try await Stage.with { stage in
            try await Self.enrolled(stage)
            for (words, begins) in Self.writers(stage) {
                let (pipe, link, file) = (stage.folder + "/pipe", stage.folder + "/link", stage.folder + "/file")
                #expect(mkfifo(pipe, 0o600) == 0)
                let reader = try stage.start(["cat", pipe])
                let piped = try stage.start([Programs.program(of: words)] + words + [pipe])
                #expect(try await piped.ended() == 0, "\(piped.errors)")
                #expect(try await reader.ended() == 0 && reader.output.hasPrefix(begins), "\(words)")
                #expect(Self.kind(pipe) == S_IFIFO)

                try Files.write("old", to: file)
                #expect(symlink(file, link) == 0)
                let linked = try stage.start([Programs.program(of: words)] + words + [link])
                #expect(try await linked.ended() == 0, "\(linked.errors)")
                #expect(Self.kind(link) == S_IFLNK && Files.text(file).hasPrefix(begins))

                let device = stage.folder + "/null"
                if mknod(device, S_IFCHR | 0o600, dev_t(1 << 8 | 3)) == 0 {
                    let written = try stage.start([Programs.program(of: words)] + words + [device])
                    // Where the folder's file system allows no devices, it says so.
                    let code = try await written.ended()
                    #expect(code == 0 || written.errors.contains("denied"), "\(written.errors)")
                    #expect(Self.kind(device) == S_IFCHR)
                } else {
                    print("SKIPPED: no device can be made here: only pipes and links were tried")
                }
                for path in [pipe, link, file, device] { unlink(path) }
            }
        }
    }

    private static func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// As strace sees it: what is written beside the target is new and no link, and the folder is
    /// synced after the name was given.
    @Test func aFileIsWrittenBesideItsPlaceAndItsFolderIsSynced() async throws {
        try await Stage.with { stage in
            try await Self.enrolled(stage)
            for (words, begins) in Self.writers(stage) {
                let target = stage.folder + "/out/" + String(repeating: "n", count: 250)
                mkdir(stage.folder + "/out", 0o755)
                try Files.write("old", to: target)
                chmod(target, 0o640)
                let trace = stage.folder + "/trace"
                let calls = ["strace", "-f", "-y", "-o", trace, "-e", "trace=openat,rename,renameat,renameat2,fsync"]
                guard access("/usr/bin/strace", X_OK) == 0 else { return print("SKIPPED: no strace") }
                let child = try stage.start(calls + [Programs.program(of: words)] + words + [target])
                #expect(try await child.ended() == 0, "\(child.errors)")
                #expect(Files.text(target).hasPrefix(begins))
                let lines = Files.text(trace).split(separator: "\n")
                let opened = lines.filter { $0.contains("/out/") && $0.contains("O_CREAT") }
                #expect(
                    opened.count == 1 && opened[0].contains("O_EXCL") && opened[0].contains("O_NOFOLLOW"), "\(opened)")
                let order = lines.compactMap { line -> String? in
                    if line.contains("rename"), line.contains("/out/") { return "name" }
                    guard line.contains("fsync("), line.contains("/out") else { return nil }
                    return line.contains("/out/") ? "content" : "folder"
                }
                #expect(order == ["content", "name", "folder"], "\(order)")
                #expect(Files.names(stage.folder + "/out").count == 1, "nothing is left beside it")
                var status = stat()
                #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o640, "its mode stays")
            }
        }
    }

    /// fsync(2): "EIO An error occurred during synchronization"; rename(2) likewise. strace puts
    /// these answers in the kernel's place.
    @Test(arguments: [
        ("fsync:error=EIO:when=1", "cannot sync:", "old"),
        ("?rename,?renameat,?renameat2:error=EIO", "cannot rename:", "old"),
        ("fsync:error=EIO:when=2", "cannot sync the folder of:", "<!DOCTYPE"),
    ]) func aDiskThatFailsLeavesAWholeFileAndNothingBeside(_ fault: String, _ words: String, _ left: String)
        async throws
    {
        guard access("/usr/bin/strace", X_OK) == 0 else { return print("SKIPPED: no strace") }
        try await Stage.with { stage in
            try await Self.enrolled(stage)
            let command = Self.writers(stage)[0].words
            mkdir(stage.folder + "/out", 0o755)
            let target = stage.folder + "/out/file"
            try Files.write("old", to: target)
            let calls = [
                "strace", "-f", "-o", "/dev/null", "-e", "trace=fsync,?rename,?renameat,?renameat2", "-e",
                "inject=" + fault,
            ]
            let child = try stage.start(calls + [Programs.program(of: command)] + command + [target])
            #expect(try await child.ended() == 1)
            #expect(
                child.errors.contains("\(target): \(words.dropLast())") && child.errors.contains("replace the SD card"),
                "\(child.errors)")
            #expect(Files.text(target).hasPrefix(left))
            #expect(Files.names(stage.folder + "/out") == ["file"], "nothing is left beside it")
        }
    }

    @Test func aLinkInTheWayOfAnInnerFileLeadsNowhere() async throws {
        try await Stage.with { stage in
            try await Self.enrolled(stage)
            let (victim, out) = (stage.folder + "/victim", stage.folder + "/payloads")
            try Files.write("mine", to: victim)
            mkdir(out, 0o755)
            #expect(symlink(victim, out + "/000001.body.new") == 0)
            let study = stage.folder + "/study.json"
            let simulated = try await stage.studyd(
                "simulate", study, "--enrolled", "2026-03-02T08:00", "--days", "1", "--payloads", out)
            #expect(simulated.code == 0, "\(simulated)")
            #expect(Files.text(victim) == "mine" && Files.text(out + "/000001.body").contains("data_type"))
        }
    }
}

extension Programs {
    /// The program that has this command.
    fileprivate static func program(of words: [String]) -> String {
        ["check", "export", "plot"].contains(words[0]) ? tools : studyd
    }
}
