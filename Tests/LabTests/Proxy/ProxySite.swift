// SPDX-License-Identifier: Apache-2.0
import Foundation
import HeldPort
import Patience

/// nginx or Caddy with the site file of `docs/proxy`, in which only names, ports and certificate
/// are replaced: the name is `localhost`, and its certificate is signed by an authority made for
/// the test.
final class ProxySite: Sendable {
    enum Program: String, CaseIterable, Sendable {
        case nginx = "/usr/sbin/nginx"
        case caddy = "/usr/bin/caddy"

        static let installed: [Program] = allCases.filter { program in
            let isThere = FileManager.default.isExecutableFile(atPath: program.rawValue)
            if !isThere { print("SKIPPED: \(program.rawValue) is missing; apt-get install nginx-light caddy") }
            return isThere
        }
    }

    struct Complaint: Error, CustomStringConvertible { let description: String }

    private let tls: HeldPort
    private let plain: HeldPort
    /// Certificate of the authority, in PEM.
    let authority: String

    var port: Int { tls.number }
    var url: String { "https://localhost:\(tls.number)" }
    var plainURL: String { "http://localhost:\(plain.number)" }

    /// Starts the program in front of `target`, an address with its port, gives it to the body,
    /// ends it.
    static func with(
        _ program: Program, to target: String, in folder: String,
        _ body: (ProxySite) async throws -> Void
    ) async throws {
        let place = folder + "/proxy"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let site = try ProxySite(place)
        try await makeCertificate(place)
        let process = Process()
        switch program {
        case .nginx: try site.prepareNginx(process, target, place)
        case .caddy: try site.prepareCaddy(process, target, place)
        }
        process.standardOutput = FileHandle.nullDevice
        try Data().write(to: URL(fileURLWithPath: place + "/said"))
        process.standardError = FileHandle(forWritingAtPath: place + "/said")
        try process.run()
        defer {
            // Caddy waits for open connections when it is asked to end.
            kill(process.processIdentifier, program == .caddy ? SIGKILL : SIGTERM)
            process.waitAsleep()
        }
        try await site.waitUntilListening(process, place)
        try await body(site)
    }

    private init(_ place: String) throws {
        (tls, plain) = (try HeldPort(), try HeldPort())
        authority = place + "/authority.pem"
    }

    private func waitUntilListening(_ process: Process, _ place: String) async throws {
        let deadline = ContinuousClock.now + patience
        for port in [tls.number, plain.number] {
            while true {
                if let socket = try? RawClient.connect(port) {
                    close(socket)
                    break
                }
                guard process.isRunning, ContinuousClock.now < deadline else {
                    let said = (try? String(contentsOfFile: place + "/said", encoding: .utf8)) ?? ""
                    throw Complaint(description: "the proxy does not listen: \(said.suffix(2000))")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func makeCertificate(_ place: String) async throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        try await run(
            ["openssl", "req", "-x509"] + key + [
                "-subj", "/CN=lab authority", "-keyout", place + "/authority.key", "-out", place + "/authority.pem",
            ])
        try await run(
            ["openssl", "req", "-x509", "-CA", place + "/authority.pem", "-CAkey", place + "/authority.key"] + key + [
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext",
                "basicConstraints=CA:FALSE", "-keyout", place + "/site.key", "-out", place + "/site.pem",
            ])
    }

    // MARK: Programs

    private func prepareNginx(_ process: Process, _ target: String, _ place: String) throws {
        let site = try Self.siteFile(
            "studyd-receiver.nginx.conf",
            [
                ("/etc/letsencrypt/live/study.example.org/fullchain.pem", place + "/site.pem"),
                ("/etc/letsencrypt/live/study.example.org/privkey.pem", place + "/site.key"),
                ("study.example.org", "localhost"), ("/var/log/nginx/", place + "/"), ("127.0.0.1:8080", target),
                ("listen 443 ", "listen 127.0.0.1:\(tls.number) "), ("listen 80 ", "listen 127.0.0.1:\(plain.number) "),
                // Not every machine has IPv6.
                ("listen [::]:443 ", "listen unix:\(place)/tls.sock "),
                ("listen [::]:80 ", "listen unix:\(place)/plain.sock "),
            ])
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(place)/\($0);" }
        // What Debian's nginx.conf has around the files of sites-enabled.
        try """
        daemon off; worker_processes 1; pid \(place)/pid; error_log stderr;\(getuid() == 0 ? " user root;" : "")
        events { worker_connections 768; }
        http { \(folders.joined(separator: " "))
        \(site) }
        """.write(toFile: place + "/nginx.conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: Program.nginx.rawValue)
        process.arguments = ["-e", "stderr", "-p", place, "-c", place + "/nginx.conf"]
    }

    private func prepareCaddy(_ process: Process, _ target: String, _ place: String) throws {
        try Self.siteFile(
            "Caddyfile",
            [
                ("tls lab@example.org", "tls \(place)/site.pem \(place)/site.key"),
                ("\nstudy.example.org {", "\nhttps://localhost:\(tls.number) {"),
                ("\nhttp:// {", "\nhttp://:\(plain.number) {"), ("127.0.0.1:8080", target),
            ]
        ).write(toFile: place + "/Caddyfile", atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: Program.caddy.rawValue)
        process.arguments = ["run", "--config", place + "/Caddyfile", "--adapter", "caddyfile"]
        process.environment = [
            "HOME": place, "XDG_DATA_HOME": place, "XDG_CONFIG_HOME": place, "CADDY_ADMIN": "unix/\(place)/admin.sock",
        ]
    }

    private static func siteFile(_ name: String, _ replacements: [(String, String)]) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        var text = try String(contentsOf: root.appendingPathComponent("docs/proxy/" + name), encoding: .utf8)
        for (old, new) in replacements {
            guard text.contains(old) else { throw Complaint(description: "\(name) has no \(old)") }
            text.replace(old, with: new)
        }
        return text
    }
}
