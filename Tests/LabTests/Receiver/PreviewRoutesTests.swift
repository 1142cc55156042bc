// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct PreviewRoutesTests {
    private static let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    private static let program = package + "/.build/debug/study-receiver"
    private static let isPossible: Bool = {
        for path in [program, "/usr/bin/cc"] where access(path, X_OK) != 0 {
            print("SKIPPED: no recording is drawn on one core, because \(path) is not there (Debian: gcc)")
            return false
        }
        return true
    }()

    /// A server with one recording, and a `studyd-tools` beside it that is a script.
    private static let client = """
        import base64, os, signal, subprocess, sys, threading, urllib.request
        folder = sys.argv[1]
        def lab(script, environment={}):
            global receiver, url
            with open(folder + "/studyd-tools", "w") as tool: tool.write("#!/bin/sh\\n" + script)
            os.chmod(folder + "/studyd-tools", 0o755)
            receiver = subprocess.Popen([folder + "/study-receiver", "--port", "0", "--data", folder + "/data",
                "--end-with-input"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | environment)
            url = receiver.stdout.readline().split()[2]
            name = base64.b64encode(b"000001-sound.csv").decode()
            made = ask("POST", "/files", Upload_Length="4", Upload_Metadata="participant UDE=,filename " + name)
            ask("PATCH", made.headers["Location"], b"data", Upload_Offset="0", Content_Type="application/offset+octet-stream")
        def ask(method, path, data=None, timeout=60, **fields):
            headers = {"Tus-Resumable": "1.0.0"} | {k.replace("_", "-"): v for k, v in fields.items()}
            return urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method), timeout=timeout)
        """

    /// By another process: of a file that this process writes, a child of another test holds the descriptor for
    /// a moment, and it cannot be started ("text file busy").
    private static func copyProgram(into folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await run(["cp", program, folder + "/study-receiver"])
    }

    /// The program, for which the machine has one core, with a `studyd-tools` beside it that draws for a minute.
    @Test(.enabled(if: isPossible))
    func aLabServerOfOneCoreAnswersWhileARecordingIsDrawn() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let library = folder + "/one_core.so"
            try await run(["/usr/bin/cc", "-shared", "-fPIC", "-o", library, Self.package + "/Tests/mocks/one_core.c"])
            try await Self.copyProgram(into: folder)
            let script =
                Self.client + """

                    os.mkfifo(folder + "/begun")
                    lab(f"echo $$ > '{folder}/begun'\\nexec sleep 59\\n", {"LD_PRELOAD": sys.argv[2]})
                    def draw():
                        try: ask("GET", "/files/1/preview")
                        except Exception: pass
                    threading.Thread(target=draw, daemon=True).start()
                    tool = int(open(folder + "/begun").read())
                    try:
                        print(ask("GET", "/api/devices", timeout=30).status, flush=True)
                    finally:
                        os.kill(tool, signal.SIGKILL)
                        receiver.kill()
                    """
            let output = try await run(["python3", "-c", script, folder, library])
            #expect(output == "200\n", "\(output)")
        }
    }

    /// Of a whole recording there is one picture, drawn once; those of its minutes are not kept.
    @Test(.enabled(if: access(program, X_OK) == 0, "needs study-receiver"))
    func aPictureIsDrawnOnceAndThatOfAMinuteEachTime() async throws {
        try await withFolder { folder in
            try await Self.copyProgram(into: folder)
            let script =
                Self.client + """

                    # plot NAME -o PICTURE: the picture is the number of its drawing.
                    lab(f"echo $5 >> '{folder}/drawn'\\nwc -l < '{folder}/drawn' > \\"$4\\"\\n")
                    def draw(query=""): return ask("GET", "/files/1/preview" + query).read().strip().decode()
                    minute = "?day=2026-11-25&at=10:03"
                    try:
                        said = [draw(), draw(), draw(minute), draw(minute), draw()]
                        os.unlink(folder + "/data/previews/1.svg")
                        print(*said, draw(), draw(), sorted(os.listdir(folder + "/data/previews")), flush=True)
                    finally:
                        receiver.kill()
                    """
            let output = try await run(["python3", "-c", script, folder])
            #expect(output == "1 1 2 3 1 4 4 ['1.svg']\n", "\(output)")
        }
    }
}
