// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

@Suite(.timeLimit(.minutes(10))) struct ReceiverCommandTests {
    private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            ".build/debug/study-receiver"
        )
        .path
    private static let isBuilt = FileManager.default.isExecutableFile(atPath: program)
    private static let noBuild: Comment = "no debug build of the program beside the tests"

    /// What a script prints that starts the program, as a shell does: threads of the tests have these signals
    /// blocked, and a process inherits that.
    private static func output(of script: String) async throws -> String {
        let head = """
            import signal, subprocess, sys, urllib.request
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))

            """
        var output = ""
        try await withFolder { folder in
            output = try await run(["python3", "-c", head + script, program, folder + "/made/here"])
        }
        return output
    }

    @Test(arguments: [
        ["--port", "70000"], ["--fault", "200"], ["--serve", "/nowhere/study.json"], ["--port", "x"], ["extra"],
        ["--patience", "-1"], ["--session", "long"], ["--accounts", "/nowhere/accounts.json"],
        ["--application", "windows:a:b"], ["--device-keys", "maybe"], ["--webhook", "ftp://example.org/lab"],
        ["--metrics-file", "fleet.txt"], ["--expected-version"], ["--port", "-1"], ["--device-quota", "0"],
        ["--device-quota", "1000001"], ["--upload-days", "0"], ["--upload-days", "3651"], ["--patience", "86401"],
        ["--session", "-1"], ["--session", "100001"], ["--make-tokens", "0"], ["--make-tokens", "100001"],
        ["--proxy", "localhost"], ["--clock-from", "soon"],
    ]) func wrongUsageIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try ReceiverCommand<StandInOptions>.parse(arguments) }
    }

    @Test(arguments: [
        [], ["--port", "0"], ["--port", "65535"], ["--device-quota", "1"], ["--device-quota", "1000000"],
        ["--upload-days", "1"], ["--upload-days", "3650"], ["--patience", "0"], ["--patience", "86400"],
        ["--session", "0"], ["--session", "100000"], ["--make-tokens", "1"], ["--make-tokens", "100000"],
        ["--metrics-file", "fleet.prom"], ["--proxy", "::1"], ["--clock-from", "2026-03-16T00:00:00Z"],
    ]) func theEndsOfItsRangesAreGood(arguments: [String]) throws {
        _ = try ReceiverCommand<StandInOptions>.parse(arguments)
    }

    @Test func withoutItsCommandLineItSaysWhatIsMissing() {
        #expect(ReceiverProgram.refusal(of: [])?.contains("mount /proc") == true)
        #expect(ReceiverProgram.refusal(of: ["study-receiver"]) == nil)
    }

    /// Root gets any priority, unless it lacks the capability. libdispatch's own thread for timers and signals asks
    /// for one, once.
    @Test(.enabled(if: isBuilt, noBuild)) func itAsksForNoPriority() async throws {
        let script = #"""
            [ "$(id -u)" != 0 ] || ! setpriv --bounding-set -sys_nice true || set -- setpriv --bounding-set -sys_nice "$@"
            LIBDISPATCH_LOG=stderr exec "$@" 2>&1
            """#
        let output = try await run(["sh", "-c", script, "sh", Self.program, "--make-tokens", "1"])
        #expect(!output.isEmpty && output.components(separatedBy: "set thread priority").count <= 2, "\(output)")
    }

    /// What a participant has deleted stays in a log until that is emptied.
    @Test(.enabled(if: isBuilt, noBuild)) func aServerThatStopsLeavesNoLogs() async throws {
        let output = try await Self.output(
            of: """
                import glob, os
                p = subprocess.Popen([sys.argv[1], '--port', '0', '--data', sys.argv[2]], stdout=subprocess.PIPE, text=True)
                try:
                    p.stdout.readline()
                    p.terminate()
                    print(p.wait(300), [f for f in glob.glob(sys.argv[2] + '/*-wal') if os.path.getsize(f)])
                finally:
                    p.kill()
                """)
        #expect(output.hasSuffix("0 []\n"), "\(output)")
    }

    @Test(.enabled(if: isBuilt, noBuild))
    func newTokensArePrintedAndNothingIsServed() async throws {
        let output = try await run(["sh", "-c", "'\(Self.program)' --make-tokens 3; echo ended with $?"])
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.count == 4 && lines.last == "ended with 0", "\(output)")
        #expect(lines.dropLast().allSatisfy { MyStudiesToken.isValid($0) } && Set(lines).count == 4, "\(output)")
    }

    /// A gibibyte for a device, of which the server says how many bytes it takes it for (507 is that of RFC 4918), and
    /// a day for what is not finished.
    @Test(.enabled(if: isBuilt, noBuild))
    func theLimitsOfTheCommandAreTheServers() async throws {
        try await withFolder { folder in
            let script = """
                import http.client, subprocess, sys
                p = subprocess.Popen([sys.argv[1], '--port', '0', '--device-quota', '1', '--upload-days', '1',
                    '--clock-from', '2026-05-28T20:26:40Z', '--data', sys.argv[2]], stdout=subprocess.PIPE, text=True)
                try:
                    c = http.client.HTTPConnection('127.0.0.1', int(p.stdout.readline().rsplit(':', 1)[1]))
                    for length in ((1 << 30) + 1, 1):
                        c.request('POST', '/files', headers={'Tus-Resumable': '1.0.0', 'Upload-Length': str(length),
                            'Content-Length': '0'})
                        r = c.getresponse(); said = r.read().decode()
                        print(r.status, r.getheader('Upload-Expires') or said)
                finally:
                    p.kill()
                """
            let output = try await run(["python3", "-c", script, Self.program, folder + "/data"])
            #expect(output.hasPrefix("507 ") && output.contains("uses 0 of 1073741824 bytes"), "\(output)")
            #expect(output.contains("\n201 Fri, 29 May 2026 "), "\(output)")
        }
    }

    /// A device that enrols from here sends here: to the address that a proxy was asked by, where that proxy is named.
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: program), "no debug build of the program beside the tests"),
        arguments: [
            ([], "https://other.example/schema", "http", true), ([], "", "http", false),
            (["--proxy", "127.0.0.1"], "https://other.example/schema", "https", true),
            (["--proxy", "192.0.2.1"], "https://other.example/schema", "http", true),
            (["--keep-post-url"], "https://other.example/schema", nil, false),
        ] as [([String], String, String?, Bool)])
    func whereAnswersGoIsSaid(words: [String], address: String, scheme: String?, isSaid: Bool) async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let study = folder + "/mood.json"
            try Data(#"{"properties":{"study_id":"X","post_url":"\#(address)"},"modules":[]}"#.utf8).write(
                to: URL(fileURLWithPath: study))
            let script = """
                import http.client, json, signal, subprocess, sys
                signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
                p = subprocess.Popen([sys.argv[1], '--port', '0', '--data', sys.argv[2], '--serve', sys.argv[3]] + sys.argv[4:],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                try:
                    c = http.client.HTTPConnection('127.0.0.1', int(p.stdout.readline().rsplit(':', 1)[1]))
                    c.request('GET', '/study/mood.json', headers={'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'https'})
                    r = c.getresponse(); study = json.loads(r.read())
                    c.close()
                    p.send_signal(signal.SIGTERM)
                    said = p.communicate(timeout=300)[1]
                    print(study['properties']['post_url'], 'send answers to this server, not to' in said)
                finally:
                    p.kill()
                """
            let output = try await run(["python3", "-c", script, Self.program, folder + "/data", study] + words)
            let parts = output.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
            #expect(parts.last == (isSaid ? "True" : "False"), "\(output)")
            if let scheme {
                #expect(parts.first?.hasPrefix("\(scheme)://127.0.0.1:") == true, "\(output)")
            } else {
                #expect(parts.first == address, "\(output)")
            }
        }
    }

    /// Who listens to more than this machine is warned, unless a token is asked for.
    @Test(
        .enabled(if: isBuilt, noBuild),
        arguments: [
            ([], false), (["--token-file"], false), (["--host", "0.0.0.0"], true),
            (["--host", "0.0.0.0", "--token-file"], false),
        ])
    func anOpenServerWithoutATokenIsWarnedOf(words: [String], isWarned: Bool) async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = """
                import signal, subprocess, sys
                signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
                p = subprocess.Popen([sys.argv[1], '--port', '0', '--data', sys.argv[2]] + sys.argv[3:],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                try:
                    assert p.stdout.readline().startswith('listening on ')
                    p.send_signal(signal.SIGTERM)
                    print('WARNING: listening on 0.0.0.0 without a token' in p.communicate(timeout=300)[1])
                finally:
                    p.kill()
                """
            let token = words.last == "--token-file" ? [folder + "/token"] : []
            let output = try await run(["python3", "-c", script, Self.program, folder + "/data"] + words + token)
            #expect(output == (isWarned ? "True\n" : "False\n"))
        }
    }

    /// What a device would refuse is refused where it is served, with the line.
    @Test(
        arguments: [
            ("{}", nil), ("[]", nil), ("\u{FEFF}{}", nil), ("{\"a\": 1,}", nil), ("", "is not JSON: line 1: "),
            ("{\n\"a\": 1\n,,}", "is not JSON: line 3: "), ("name,text\n1,2", "is not JSON: line 1: "),
        ] as [(String, String?)])
    func aFileThatIsNoJSONIsNotServed(text: String, complaint: String?) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let path = folder + "/study.json"
            try AtomicFile.write(Array(text.utf8), to: path)
            let command = try ReceiverCommand<StandInOptions>.parse(["--serve", path])
            guard let complaint else { return try StudyRoutes.check(path) }
            let error = await #expect(throws: FileError.self) { try await command.run() }
            #expect(error.map { "\($0)".hasPrefix("\(path): \(complaint)") && "\($0)".contains("--serve") } == true)
        }
    }

    /// A study of SageResearch is served as its folder, of which `study.toml` says what is read.
    @Test(
        arguments: [
            (["t.json": "{}", "h.json": "{\"a\": 1,}", ".t.json": "", "notes.txt": ""], nil),
            (["t.json": "{}", "u.json": "{"], "/u.json"), (["t.json": "{", "study.toml": ""], nil),
            (["notes.txt": ""], ""),
        ] as [([String: String], String?)])
    func ofAFolderEachFileOfTheStudyIsChecked(files: [String: String], refused: String?) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            for (name, text) in files { try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(name)") }
            var error: FileError?
            do { try StudyRoutes.check(folder) } catch let found as FileError { error = found }
            #expect(error?.path == refused.map { folder + $0 })
        }
    }

    /// They are served, and kept for the export, by their names; the same file may be named twice.
    @Test(arguments: [
        ("--serve", "a/study.json", true), ("--serve", "b/study.json", false),
        ("--serve", "b/other.json", true), ("--esmira", "b/study.json", false),
    ])
    func twoStudiesOfOneNameAreRefused(option: String, second: String, isGood: Bool) async throws {
        try await withFolder { folder in
            for name in ["a/study.json", "b/study.json", "b/other.json"] {
                let path = URL(fileURLWithPath: "\(folder)/\(name)")
                try FileManager.default.createDirectory(
                    at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("{}".utf8).write(to: path)
            }
            let words = ["--serve", folder + "/a/study.json", option, "\(folder)/\(second)"]
            var refusal: String?
            do { _ = try ReceiverCommand<StandInOptions>.parse(words) } catch {
                refusal = ReceiverCommand<StandInOptions>.message(for: error)
            }
            #expect(isGood ? refusal == nil : refusal?.contains("two studies are called study.json") == true)
        }
    }

    @Test func aFolderHasOneServer() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let refusal = await #expect(throws: FileError.self) { try await withReceiver(folder) { _, _ in } }
                let words = refusal?.description ?? ""
                #expect(words.hasPrefix("\(folder): another study-receiver is running with this data folder (process "))
                #expect(words.contains("another folder with --data"), "\(words)")
                let answer = try await run(["curl", "-s", "-i", url + "/api/fleet"])
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
            try await withReceiver(folder) { _, _ in }
        }
    }

    /// The words between quotation marks are typed, in the folder of the program.
    @Test(
        .enabled(if: isBuilt, noBuild),
        arguments: [
            ["mirror", "--nix"], ["devices", "approve"], ["devices", "nix"], ["export", "--to", "nix"],
            ["erase", "--nix"],
            ["backup", "--nix"], ["restore", "--nix"], ["--nix"],
        ])
    func theHintOfAWrongCommandCanBeTyped(words: [String]) async throws {
        let said = try await run([Self.program] + words)
        let hint = try #require(said.components(separatedBy: "See '").last?.split(separator: "'").first)
        let folder = URL(fileURLWithPath: Self.program).deletingLastPathComponent().path
        let help = try await run(["sh", "-c", "PATH=\"\(folder):$PATH\"; \(hint)"])
        #expect(help.contains("USAGE: study-receiver"), "\(said)\(help)")
    }

    @Test(.enabled(if: isBuilt, noBuild))
    func devicesAreRevokedInTheFolderThatIsNamed() async throws {
        try await withFolder { folder in
            func devices(_ words: String...) async throws -> String {
                try await run([Self.program, "devices"] + words + ["--data", folder])
            }
            #expect(try await devices("list").contains("name the server's folder by --data"))
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            #expect(try await devices("approve", "P7").contains("no such key of P7"))
            #expect(try await devices("approve", "P7", "").contains("its first 8 digits at least"))
            #expect(try await devices("revoke", "P7").hasPrefix("revoked P7\nno key of P7 was known"))
            #expect(try await devices("revoke", "P7") == "revoked P7\n")
            #expect(try await devices("list").hasPrefix("P7\trevoked\t(every key)\t"))
            #expect(try await devices("forget", "P8").contains("nothing is known of a device of P8"))
            #expect(try await devices("forget", "P7").hasSuffix("P7 stays revoked\n"))
            #expect(try await devices("list").hasPrefix("P7\trevoked\t(every key)\t"))
        }
    }

    @Test(.enabled(if: isBuilt, noBuild))
    func aParticipantIsErasedInTheFolderThatIsNamed() async throws {
        try await withFolder { folder in
            func erase(_ words: String...) async throws -> String {
                let script = #"out=$("$@" 2>&1); code=$?; printf '%s\n%s' "$code" "$out""#
                return try await run(["sh", "-c", script, "sh", Self.program, "erase"] + words + ["--data", folder])
            }
            #expect(try await erase("P7").contains("name the server's folder by --data"))
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            #expect(try await erase("P7").hasPrefix("1\n"))
            _ = try await run([Self.program, "devices", "codes", "P7", "--data", folder])
            let listed = try await erase("P7")
            #expect(listed.hasPrefix("0\n") && listed.contains("\(folder) holds of P7:\n  devices.sqlite: 1 code"))
            #expect(listed.contains("erase: nothing was deleted; --yes deletes it"))
            let unknown = try await erase("P8", "--yes")
            #expect(unknown.hasPrefix("1\n") && unknown.contains("did you mean 'P7'?"), "\(unknown)")
            let erased = try await erase("P7", "--yes")
            #expect(erased.hasPrefix("0\nerased P7:\n  devices.sqlite: 1 code\nbackups, "), "\(erased)")
            #expect(try await erase("P7", "--yes").hasPrefix("0\nP7 was erased at 2"))
            #expect(try await erase("").hasPrefix("2\n"))
        }
    }

    @Test(.enabled(if: isBuilt, noBuild))
    func aFolderIsBackedUpBesideItsServerAndRestored() async throws {
        try await withFolder { folder in
            let (lab, copy, made) = (folder + "/lab", folder + "/copy", folder + "/made")
            @Sendable func command(_ words: String...) async throws -> String {
                let script = #"out=$("$@" 2>&1); code=$?; printf '%s\n%s' "$code" "$out""#
                return try await run(["sh", "-c", script, "sh", Self.program] + words)
            }
            #expect(try await command("backup", "--data", lab, "-o", copy).hasPrefix("1\n"))
            try await withReceiver(lab) { _, _ in
                let first = try await command("backup", "--data", lab, "-o", copy)
                #expect(first.hasPrefix("0\n\(copy): ") && first.hasSuffix(" new, 0 removed, 0 problems"), "\(first)")
            }
            #expect(try await command("backup", "--data", lab, "-o", lab + "/copy").hasPrefix("2\n"))
            let restored = try await command("restore", copy, "--data", made)
            #expect(restored.hasPrefix("0\n\(made): ") && restored.contains("\nwho was erased after 2"), "\(restored)")
            #expect(try await command("restore", copy, "--data", made).hasPrefix("1\n"))
            try await withReceiver(made) { url, _ in
                let answer = try await run(["curl", "-s", "-i", url + "/api/fleet"])
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test(.enabled(if: isBuilt, noBuild))
    func theProgramSaysWhereItListensAndStopsWhenTold() async throws {
        let output = try await Self.output(
            of: """
                for sign in (signal.SIGTERM, signal.SIGINT):
                    p = subprocess.Popen([sys.argv[1], '--port', '0', '--data', sys.argv[2]], stdout=subprocess.PIPE, text=True)
                    line = p.stdout.readline()
                    assert line.startswith('listening on http://127.0.0.1:'), line
                    assert urllib.request.urlopen(line.split()[2] + '/').status == 200
                    p.send_signal(sign)
                    print('stopped with', p.wait(30))
                """)
        #expect(output == "stopped with 0\nstopped with 0\n")
    }

    /// Who started it tells it to stop and goes: the end of its input, which is a signal too (fcntl(2), O_ASYNC), is
    /// no second one, which would end it in the middle of its orderly end.
    @Test(.enabled(if: isBuilt, noBuild))
    func theEndOfItsInputIsNoSecondSignal() async throws {
        let output = try await Self.output(
            of: """
                for told in (True, False):
                    p = subprocess.Popen([sys.argv[1], '--port', '0', '--end-with-input', '--data', sys.argv[2]],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                    assert p.stdout.readline().startswith('listening on ')
                    # Both wait for it when it goes on.
                    p.send_signal(signal.SIGSTOP)
                    if told: p.send_signal(signal.SIGTERM)
                    p.stdin.close()
                    p.send_signal(signal.SIGCONT)
                    print('stopped with', p.wait(30))
                """)
        #expect(output == "stopped with 0\nstopped with 0\n")
    }
}
