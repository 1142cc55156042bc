// SPDX-License-Identifier: Apache-2.0
import Foundation
import HeldPort
import Patience
import Testing

@testable import Lab

/// Many clients that are slow on purpose, as python sockets from several addresses of the loopback
/// net, and curl that wants an answer meanwhile.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SlowClientTests {
    /// 256 uploads from eight addresses, 32 each, bring 60 bytes a second; every second one byte
    /// more would be enough for the first minute. Says `ready` when the rate of each can be measured,
    /// after two seconds (`ClientPace`).
    private static let trickle = """
        import select, socket, sys, time
        port = int(sys.argv[1].split(':')[2])
        def opened(i):
            s = socket.socket(); s.bind(('127.0.0.%d' % (10 + i % 8), 0)); s.connect(('127.0.0.1', port))
            s.sendall(b'POST /schema HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Type: multipart/form-data; boundary=b\\r\\nContent-Length: 900000\\r\\n\\r\\n--b')
            return s
        sockets = [opened(i) for i in range(256)]
        begun = time.monotonic()
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            for s in sockets:
                try: s.sendall(b'x' * 12)
                except OSError: pass
            if begun and time.monotonic() - begun > 2.2:
                begun = None
                print('ready', flush=True)
        """

    @Test func twoHundredAndFiftySixSlowBodiesDoNotShutOthersOut() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, clock: MovableClock()) { url, _ in
                let slow = try Trickle(Self.trickle, url)
                defer { slow.end() }
                for round in 0..<8 {
                    let answer = try await curl(url + "/api/devices")
                    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(round): \(answer)")
                }
                let answer = try await curl("--data-binary", "x", "-H", "Content-Type: text/plain", url + "/schema")
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
            }
        }
    }

    /// A body that is faster than theirs is not the one that goes, however many
    /// newcomers there are.
    @Test func theSlowestBodyMakesRoomAndAFasterOneComesThrough() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let slow = try Trickle(Self.trickle, url)
                defer { slow.end() }
                // 60 kB at 20 kB/s: three seconds.
                async let upload = run(
                    [
                        "curl", "-s", "-S", "-i", "--max-time", "300", "--limit-rate", "20k", "-H",
                        "Content-Type: text/plain",
                        "--data-binary", "@-", url + "/schema",
                    ], input: String(repeating: "x", count: 60_000))
                for _ in 0..<10 { _ = try await curl(url + "/api/devices") }
                #expect(try await upload.contains("HTTP/1.1 400"))
            }
        }
    }

    static let nginx: String? = {
        let found = ["/usr/sbin/nginx", "/usr/bin/nginx"].first { FileManager.default.isExecutableFile(atPath: $0) }
        if found == nil { print("SKIPPED: nginx is not installed") }
        return found
    }()

    /// Debian's nginx in front, which passes bodies on as they come. One client of it fills its
    /// share; another is answered, and what is kept names them by their own addresses.
    @Test(.enabled(if: nginx != nil, "nginx is missing: install it to test a named proxy"))
    func behindANamedProxyClientsAreToldApart() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.proxies = ["127.0.0.1"] }) { url, _ in
                let proxy = try Proxy(try #require(Self.nginx), to: url, in: folder)
                defer { proxy.end() }
                // From 127.0.0.10 alone: more than one client may have.
                let slow = try Trickle(
                    Self.trickle.replacing("10 + i % 8", with: "10").replacing("range(256)", with: "range(80)"),
                    proxy.url)
                defer { slow.end() }
                for _ in 0..<5 {
                    let answer = try await curl("--interface", "127.0.0.20", proxy.url + "/api/devices")
                    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
                }
                // The same client again: its own slowest makes room.
                let own = try await curl("--interface", "127.0.0.10", proxy.url + "/api/devices")
                #expect(own.hasPrefix("HTTP/1.1 200"), "\(own)")
                // A page of the lab cannot be steered from outside, though the proxy is
                // on this machine.
                let steered = try await curl("-X", "POST", proxy.url + "/control/fault?mode=500")
                #expect(steered.hasPrefix("HTTP/1.1 403"), "\(steered)")
            }
        }
    }
}

/// A python program that says `ready` and goes on until it is killed, or its input ends with the tests.
/// (While they run, other children may hold that input; SIGTERM is blocked, as in the thread that
/// started it.)
private final class Trickle {
    private let process = Process()
    private let input = Pipe()

    init(_ script: String, _ url: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, url]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.readData(ofLength: 6)
    }

    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitAsleep()
    }
}

/// nginx on a free port, without a daemon.
private final class Proxy {
    private let process = Process()
    private let port: HeldPort
    let url: String

    init(_ program: String, to target: String, in folder: String) throws {
        let place = folder + "/nginx"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        port = try HeldPort()
        url = "http://127.0.0.1:\(port.number)"
        let text = """
            daemon off; worker_processes 1; pid \(place)/pid; error_log \(place)/error.log;
            events { worker_connections 1024; }
            http { access_log off; client_body_temp_path \(place)/b; proxy_temp_path \(place)/p; fastcgi_temp_path \(place)/f;
                uwsgi_temp_path \(place)/u; scgi_temp_path \(place)/s;
                server { listen 127.0.0.1:\(port.number);
                    location / { proxy_pass \(target); proxy_http_version 1.1; proxy_request_buffering off; proxy_set_header Host $host;
                        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme; } } }
            """
        try text.write(toFile: place + "/nginx.conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-e", place + "/error.log", "-p", place, "-c", place + "/nginx.conf"]
        try process.run()
        while access(place + "/pid", F_OK) != 0, process.isRunning { usleep(20_000) }
    }

    func end() {
        process.terminate()
        process.waitAsleep()
    }
}
