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

    /// The program, for which the machine has one core, with a `studyd-tools` beside it that draws for a minute.
    @Test(.enabled(if: isPossible))
    func aLabServerOfOneCoreAnswersWhileARecordingIsDrawn() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let library = folder + "/one_core.so"
            try await run(["/usr/bin/cc", "-shared", "-fPIC", "-o", library, Self.package + "/Tests/mocks/one_core.c"])
            try FileManager.default.copyItem(atPath: Self.program, toPath: folder + "/study-receiver")
            let script = """
                import base64, os, signal, subprocess, sys, threading, urllib.request
                folder = sys.argv[1]
                os.mkfifo(folder + "/begun")
                with open(folder + "/studyd-tools", "w") as tool:
                    tool.write(f"#!/bin/sh\\necho $$ > '{folder}/begun'\\nexec sleep 59\\n")
                os.chmod(folder + "/studyd-tools", 0o755)
                receiver = subprocess.Popen([folder + "/study-receiver", "--port", "0", "--data", folder + "/data",
                    "--end-with-input"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                    env=os.environ | {"LD_PRELOAD": sys.argv[2]})
                url = receiver.stdout.readline().split()[2]
                def ask(method, path, data=None, timeout=60, **fields):
                    headers = {"Tus-Resumable": "1.0.0"} | {k.replace("_", "-"): v for k, v in fields.items()}
                    return urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method), timeout=timeout)
                name = base64.b64encode(b"000001-sound.csv").decode()
                made = ask("POST", "/files", Upload_Length="4", Upload_Metadata="participant UDE=,filename " + name)
                ask("PATCH", made.headers["Location"], b"data", Upload_Offset="0", Content_Type="application/offset+octet-stream")
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
}
