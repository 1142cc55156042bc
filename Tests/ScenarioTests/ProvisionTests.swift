// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// `studyd provision` as the assistant runs it: what it makes, and that a mistake makes nothing.
@Suite(.timeLimit(.minutes(10))) struct ProvisionTests {
    private static let head = "participant,study,board,wifi,wifi_password\n"

    private static func provision(_ stage: Stage, _ list: String) async throws -> Stage.Finished {
        try Files.write(list, to: stage.folder + "/list.csv")
        try Files.write(
            Files.text(Programs.package + "/studies/sleep-and-movement.json"), to: stage.folder + "/study.json")
        let child = try stage.start([
            Programs.studyd, "provision", stage.folder + "/list.csv", "-o", stage.folder + "/out",
        ])
        return Stage.Finished(code: try await child.ended(), output: child.output, errors: child.errors)
    }

    /// On a device in use it was passed over without a word, as a stick is that has nothing new.
    @Test(.enabled(if: geteuid() == 0)) func aFolderToTakeOverThatIsNotThereIsSaid() async throws {
        try await Stage.with { stage in
            let child = try stage.start([
                Programs.studyd, "takeover", stage.folder + "/none", "--config", stage.folder + "/studyd.toml",
                "--state", stage.state,
            ])
            #expect(try await child.ended() == 1 && child.errors.contains("/none: No such file"), "\(child.errors)")
        }
    }

    @Test func eachDeviceGetsAFolderACardSheetAndAKeyThatTheReceiverCanCheck() async throws {
        try await Stage.with { stage in
            let made = try await Self.provision(
                stage, Self.head + "P1,study.json,breadboard,Lab,a password\nP2,study.json,breadboard,,\n")
            #expect(made.code == 0, "\(made)")
            #expect(made.errors.contains("network-config, the Wi-Fi, is read at a card's first boot alone"), "\(made)")
            let out = stage.folder + "/out"
            #expect(Files.text(out + "/P1/cards.html").contains("<!DOCTYPE html>"))
            #expect(Files.text(out + "/P1/card/network-config").contains("\"a password\""))
            #expect(access(out + "/P2/card/network-config", F_OK) != 0)
            #expect(Files.bytes(out + "/P1/card/studyd/study.json") == Files.bytes(stage.folder + "/study.json"))
            // The public half as OpenSSL makes it of the 32 bytes in the folder.
            let script = """
                cd "$0" && for p in P1 P2; do printf '%s,' $p
                { printf '0.\\002\\001\\0000\\005\\006\\003+ep\\004\\042\\004\\040'
                  sed -n 's/^device_key = "\\(.*\\)"\\r*$/\\1=/p' $p/card/studyd/setup.toml | tr -d '\\r\\n' | basenc --base64url -d; } |
                openssl pkey -inform DER -pubout -outform DER | tail -c 32 | od -An -v -tx1 | tr -d ' \\n'; echo; done
                """
            let child = try stage.start(["sh", "-c", script, out])
            #expect(try await child.ended() == 0)
            #expect(child.output == Files.text(out + "/devices.csv"))
            #expect(Set(child.output.split(separator: "\n").compactMap { $0.split(separator: ",").last }).count == 2)
            var status = stat()
            #expect(stat(out + "/P1/card/studyd/setup.toml", &status) == 0 && status.st_mode & 0o077 == 0)
            let again = try await Self.provision(stage, Self.head + "P3,study.json,breadboard,,\n")
            #expect(again.code == 1 && again.errors.contains("already exists"))
        }
    }

    /// setrlimit(2), RLIMIT_FSIZE: EFBIG where SIGXFSZ is ignored, in the middle as on a full disk.
    @Test func whatCannotBeWrittenWholeIsTakenAway() async throws {
        try await Stage.with { stage in
            try Files.write(Self.head + "P1,study.json,breadboard,,\n", to: stage.folder + "/list.csv")
            try Files.write(
                Files.text(Programs.package + "/studies/sleep-and-movement.json"), to: stage.folder + "/study.json")
            let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" provision \"$1/list.csv\" -o \"$1/out\" 2>&1 | cat"
            let child = try stage.start(["sh", "-c", script, Programs.studyd, stage.folder])
            _ = try await child.ended()
            #expect(child.output.contains("study.json: cannot write: File too large"), "\(child.output)\(child.errors)")
            #expect(access(stage.folder + "/out", F_OK) != 0)
            #expect(access(stage.folder + "/study.json", F_OK) == 0)
        }
    }

    /// studyd-takeover.service runs before network-pre.target (systemd.special(7)).
    @Test func soundsThatNoDeviceCouldFetchAreSaidOnce() async throws {
        try await Stage.with { stage in
            let sound = #"{"id":"s","type":"media","subtype":"audio","src":"http://127.0.0.1:9/a.mp3","text":"Listen"}"#
            let study = """
                {"properties":{"study_id":"S","post_url":"https://example.org/p","conditions":[],"cache":true},"modules":[{"uuid":"m","name":"M",
                "condition":"*","alerts":{"start_offset":0,"duration":1,"times":[{"hours":9,"minutes":0}]},"sections":[{"questions":[\(sound)]}]}]}
                """
            try Files.write(study, to: stage.folder + "/sounds.json")
            let board = Files.text(Programs.package + "/boards/breadboard.toml")
            let speaker = "\n[loudspeaker]\ndevice = \"plughw:CARD=speaker\"\nrate = 16000\n"
            try Files.write(board + speaker, to: stage.folder + "/loud.toml")
            let made = try await Self.provision(
                stage, Self.head + "P1,sounds.json,loud.toml,,\nP2,sounds.json,loud.toml,,\n")
            #expect(made.code == 0, "\(made)")
            #expect(made.errors.contains("line 2, column 'study': the study has sounds"), "\(made)")
            #expect(made.errors.ranges(of: "has sounds").count == 1)
        }
    }

    /// On the device it would be refused at the enrolment.
    @Test func aStudyThatDoesNotSayWhereItsAnswersGoIsRefused() async throws {
        try await Stage.with { stage in
            let module = LabStudy.always("pain", question: "level")
            try Files.write(LabStudy(modules: [module]).text, to: stage.folder + "/silent.json")
            let input = #"{"name":"mood","responseType":"likert","likertSteps":7}"#
            let esmira =
                #"{"id":4711,"version":3,"subVersion":1,"lang":"en","title":"T","questionnaires":[{"internalId":50001,"title":"EMA","pages":[{"inputs":[\#(input)]}]}]}"#
            try Files.write(esmira, to: stage.folder + "/esmira.json")
            let served = try await LabReceiver(stage, more: ["--keep-post-url"], name: "silent").studyURL
            let rows = ["P1,silent.json", "P2,esmira.json", "P3,\(served)"].map { $0 + ",breadboard,,\n" }
            let refused = try await Self.provision(stage, Self.head + rows.joined())
            #expect(refused.code == 1, "\(refused)")
            for words in [
                "line 2, column 'study': silent.json: the study has no address", "correct `post_url`",
                "line 3, column 'study': esmira.json: the study has no address", "enrol from the address of its server",
                "line 4, column 'study': \(served): the study has no address",
            ] {
                #expect(refused.errors.contains(words), "\(words) in \(refused.errors)")
            }
            #expect(access(stage.folder + "/out", F_OK) != 0)
        }
    }

    @Test func aMistakeAnywhereMakesNothing() async throws {
        try await Stage.with { stage in
            let button = "[[button]]\nname = \"red\"\ndevice = \"/dev/gpiochip0:23\"\ntask = \"nosuch\"\n"
            let board = Files.text(Programs.package + "/boards/breadboard.toml") + "\n" + button
            try Files.write(board, to: stage.folder + "/own.toml")
            let list =
                Self.head + "P1,study.json,breadboard,,\nP2,study.json,breadbord,,\nP3,none.json,breadboard,,\n"
                + "P4,study.json,own.toml,,\n"
            let refused = try await Self.provision(stage, list)
            #expect(refused.code == 1)
            for words in [
                "line 3, column 'board'", "did you mean 'breadboard'?", "line 4, column 'study'", "3 mistakes",
                "line 5, column 'board'", "no task 'nosuch'",
            ] {
                #expect(refused.errors.contains(words), "\(words) in \(refused.errors)")
            }
            #expect(access(stage.folder + "/out", F_OK) != 0)
        }
    }
}
