// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import Testing

@testable import Agent

/// How a destination says who it is, and is sure of its server: judged by what python's ssl sees.
@Suite(.enabled(if: TLSServer.isAvailable, "openssl is missing: install it to test certificates"))
struct ServerSettingsTests {
    private func settings(_ values: [String: String]) throws -> ServerSettings {
        var all = values.mapValues { DestinationSettings.Value.text($0) }
        all["timeout_seconds"] = .number(10)
        return try ServerSettings(DestinationSettings(name: "d", takes: .both, values: all))
    }

    private func who(_ settings: ServerSettings) throws -> String {
        let client = try HTTPClient(userAgent: "t")
        try settings.open(client)
        let body = try client.send(HTTPRequest(method: "GET", url: settings.url, limits: settings.limits)).body
        return String(decoding: body, as: UTF8.self)
    }

    @Test func theServerSeesCertificateAndToken() throws {
        let server = try TLSServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let token = folder + "/token"
        try Data("abc.DEF-1\n".utf8).write(to: URL(fileURLWithPath: token))
        chmod(token, 0o600)
        let known = ["url": server.url("/who"), "ca_file": server.certificate]
        #expect(try who(settings(known)) == "- -")
        #expect(try who(settings(known.merging(["token": token]) { $1 })) == "- Bearer abc.DEF-1")
        let both = known.merging(["certificate_file": server.certificate, "key_file": server.key]) { $1 }
        #expect(try who(settings(both)) == "127.0.0.1 -")
        #expect(throws: TransportError.self) { try who(settings(["url": server.url("/who")])) }
    }

    /// libcurl's code is the same for all of them.
    @Test func whatIsWrongWithACertificateIsSaid() throws {
        let server = try TLSServer()
        let elsewhere = server.url("/who").replacing("127.0.0.1", with: "localhost")
        for (values, words) in [
            (["url": server.url("/who")], "signed certificate"),
            (["url": elsewhere, "ca_file": server.certificate], "'localhost'"),
        ] {
            let error = #expect(throws: TransportError.self) { try who(settings(values)) }
            #expect(error?.kind == .tls && error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test func textsOfLibcurlHaveNoControlCharacters() throws {
        let server = try TLSServer()
        let client = try HTTPClient(userAgent: "t", certificateAuthority: "/no\u{1B}[2J\u{9B}\nsuch plåce")
        let error = #expect(throws: TransportError.self) {
            try client.send(HTTPRequest(method: "GET", url: server.url("/who")))
        }
        let message = try #require(error?.message)
        #expect(error?.kind == .tls && message.contains("such plåce"), "\(message)")
        #expect(message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test func aSecretThatOthersCanReadIsNotUsed() throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/secret"
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let client = try HTTPClient(userAgent: "t")
        for mode in [0o640, 0o604, 0o644] as [mode_t] {
            chmod(path, mode)
            for values in [["token": path], ["certificate_file": path, "key_file": path]] {
                let settings = try settings(values.merging(["url": "https://x"]) { $1 })
                #expect(throws: (any Error).self) { try settings.open(client) }
            }
        }
        chmod(path, 0o600)
        try settings(["url": "https://x", "token": path]).open(client)
        #expect(client.credentials.token == "x")
    }

    @Test(arguments: ["certificate_file", "key_file"]) func aCertificateNeedsItsKey(key: String) {
        let error = #expect(throws: DestinationSettingError.self) {
            try settings(["url": "https://x", key: "/x.pem"])
        }
        #expect(error.map { "\($0)" }?.contains("is missing beside '\(key)'") == true)
    }

    /// RFC 6454: another port is another server. A redirect within a host may lead there.
    @Test(arguments: [HTTPRequest.Redirects.sameHost, .follow], [true, false])
    func whatIsForOneServerGoesToNoOtherPort(redirects: HTTPRequest.Redirects, isToken: Bool) throws {
        let (server, other) = (try LabServer(), try LabServer())
        let client = try HTTPClient(userAgent: "t")
        let request = HTTPRequest(
            method: "POST", url: server.url("/to/\(other.port)"), body: .bytes([65]), redirects: redirects)
        #expect(try client.send(request).status == 200)
        if isToken {
            client.credentials.token = "abc"
        } else {
            client.labHeaders = LabHeaders([.init(name: "Studyd-Device", value: "k")], to: server.url("/"))
        }
        let error = #expect(throws: TransportError.self) { try client.send(request) }
        #expect(error?.message.contains("another port") == true, "no login page: \(String(describing: error))")
        let stored = try HTTPClient(userAgent: "t").send(HTTPRequest(method: "GET", url: other.url("/stored"))).body
        #expect(String(decoding: stored, as: UTF8.self) == #"["A"]"#)
    }

    @Test(arguments: [
        ("http://a/x", "https://a/x", true), ("http://a:80/", "https://A:443/", true),
        ("http://a:8080/", "https://a/", false), ("http://a/", "https://a:8443/", false),
        ("http://a/", "https://b/", false), ("https://a/", "http://a/", false),
    ])
    func tlsAtTheUsualPortsIsTheSameServer(from: String, to: String, isSame: Bool) {
        #expect(WebOrigin.isUpgrade(from, to) == isSame)
    }
}
