// SPDX-License-Identifier: Apache-2.0
import Foundation
import Study
import Testing

@testable import Agent
@testable import PlatformSchema

@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test HTTP"), .timeLimit(.minutes(20)))
struct HTTPClientTests {
    let server: LabServer
    let client: HTTPClient

    init() throws {
        server = try LabServer()
        client = try HTTPClient(userAgent: "studyd-tests/1")
    }

    private func quick() -> HTTPLimits {
        var limits = HTTPLimits()
        limits.total = .seconds(2)
        return limits
    }

    private func error(_ method: String, _ path: String) -> TransportError? {
        let request = HTTPRequest(method: method, url: server.url(path), body: .bytes([1]), limits: quick())
        return #expect(throws: TransportError.self) { try client.send(request) }
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func bytesArriveAsTheyWere(method: String) throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var request = HTTPRequest(method: method, url: server.url("/echo"), body: .bytes(bytes))
        request.limits.keptResponse = 1 << 20
        let response = try client.send(request)
        #expect(response.status == 200)
        #expect(response.body == bytes)
    }

    @Test func headersAreExactlyThoseAskedFor() throws {
        let headers = [WireRequest.Header(name: "X-Key", value: "ż 1"), .init(name: "X-Empty", value: "")]
        _ = try client.send(HTTPRequest(method: "POST", url: server.url("/take"), headers: headers, body: .bytes([65])))
        let listing = try client.send(HTTPRequest(method: "GET", url: server.url("/requests")))
        let seen = try #require(JSONSerialization.jsonObject(with: Data(listing.body)) as? [[String: Any]])[0]
        let names = try #require(seen["headers"] as? [[String]]).map { $0[0] }
        #expect(names == ["Host", "User-Agent", "Accept", "X-Key", "X-Empty", "Content-Length"])
    }

    /// Beside what browsers make of it (WHATWG URL: path and query percent-encode sets). What is
    /// encoded already stays.
    @Test(arguments: [
        ("/a sound.m4a?x=1 2", "/a%20sound.m4a?x=1%202"), ("/t\u{F6}ne/%20<1>\".ogg", "/t%C3%B6ne/%20%3C1%3E%22.ogg"),
        ("/plain-~_.!$&'()*+,;=:@%41", "/plain-~_.!$&'()*+,;=:@%41"),
    ])
    func anAddressAsPeopleWriteItIsAskedForAsBrowsersDo(_ written: String, _ asked: String) throws {
        _ = try client.send(HTTPRequest(method: "GET", url: server.url(written)))
        let listing = try client.send(HTTPRequest(method: "GET", url: server.url("/requests")))
        let seen = try #require(JSONSerialization.jsonObject(with: Data(listing.body)) as? [[String: Any]])
        #expect(seen.contains { $0["target"] as? String == asked }, "\(seen)")
        // A host is not a path: there it stays, and curl says that there is no such host.
        #expect(HTTPAddress.encoded("https://ex ample.org") == "https://ex ample.org")
    }

    /// RFC 3986, 5.4.1 (its dots are libcurl's), and the place that tus-node-server names before 1.0 (tag v0.9.0,
    /// lib/handlers/BaseHandler.js:37).
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"),
        ("//127.0.0.1:1080/files/7", "http://127.0.0.1:1080/files/7"), ("/g?u=http://x", "http://a/g?u=http://x"),
        ("https://x/y?z", "https://x/y?z"),
    ])
    func aReferenceNamesAnAddress(_ reference: String, _ address: String) {
        #expect(HTTPAddress.resolved(reference, at: "http://a/b/c/d;p?q") == address)
    }

    @Test(arguments: [
        ("http://a", "g", "http://a/g"), ("http://a?q=/x", "g", "http://a/g"), ("http://a?q=/x", "/g", "http://a/g"),
        ("https://a/files", "7", "https://a/7"), ("https://a/files/?t=b/c", "7", "https://a/files/7"),
        ("https://a/files/", "//b/7", "https://b/7"),
    ])
    func whereItsAddressEndsEarly(_ base: String, _ reference: String, _ address: String) {
        #expect(HTTPAddress.resolved(reference, at: base) == address)
    }

    @Test func aPartOfAFileIsSent() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let request = HTTPRequest(
            method: "PATCH", url: server.url("/echo"), body: .file(path: path, offset: 3, length: 4))
        #expect(try client.send(request).body == Array("3456".utf8))
        let short = HTTPRequest(
            method: "PATCH", url: server.url("/echo"), body: .file(path: path, offset: 8, length: 4))
        #expect(#expect(throws: TransportError.self) { try client.send(short) }?.kind == .file)
    }

    @Test(arguments: [
        ("/hang", TransportError.Kind.timeout), ("/close", .closed), ("/endless", .tooLarge), ("/bigheader", .tooLarge),
        ("/loop", .tooManyRedirects), ("/portal", .portal),
    ])
    func misbehaviourIsNamed(path: String, kind: TransportError.Kind) {
        let error = error("POST", path)
        #expect(error?.kind == kind, "\(String(describing: error))")
    }

    @Test func endlessRedirectsEndForDownloadsToo() {
        let request = HTTPRequest(method: "GET", url: server.url("/loop"), redirects: .follow)
        #expect(#expect(throws: TransportError.self) { try client.send(request) }?.kind == .tooManyRedirects)
    }

    /// RFC 9110 §15.4.2 to §15.4.9: these name another place for the same; a client may keep the
    /// method, and a delivery has to.
    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectOnTheSameHostKeepsMethodAndBody(status: Int) throws {
        let response = try client.send(
            HTTPRequest(method: "POST", url: server.url("/moved/\(status)"), body: .bytes(Array("kept".utf8))))
        #expect(response.status == 200)
        #expect(
            try client.send(HTTPRequest(method: "GET", url: server.url("/stored"))).body == Array(#"["kept"]"#.utf8))
    }

    /// §15.4.1, §15.4.5 to §15.4.7: a choice, "as before", and two that are no more.
    @Test(arguments: [300, 304, 305, 306])
    func whatIsNoRedirectIsNotFollowed(status: Int) throws {
        let response = try client.send(
            HTTPRequest(method: "POST", url: server.url("/moved/\(status)"), body: .bytes(Array("kept".utf8))))
        #expect(response.status == status)
        #expect(try client.send(HTTPRequest(method: "GET", url: server.url("/stored"))).body == Array("[]".utf8))
    }

    /// The study that is taken on must be the one that was asked for: anyone on the network can
    /// read and rewrite what comes without TLS.
    @Test(.enabled(if: TLSServer.isAvailable, "openssl is missing: install it to test redirects of https"))
    func httpsIsNotLeftForHTTPByAnyRedirect() throws {
        let secure = try TLSServer()
        let client = try HTTPClient(userAgent: "t", certificateAuthority: secure.certificate)
        for redirects in [HTTPRequest.Redirects.follow, .sameHost] {
            func send(_ path: String) throws -> HTTPResponse {
                try client.send(HTTPRequest(method: "GET", url: secure.url(path), redirects: redirects))
            }
            #expect(try send("/here").body == Array("secret".utf8))
            for status in [301, 302, 303, 307, 308] {
                #expect(try send("/secure/\(status)").body == Array("secret".utf8))
                let error = #expect(throws: TransportError.self) { try send("/plain/\(status)") }
                #expect(
                    error?.kind == .portal && error?.message.contains("without TLS") == true,
                    "\(String(describing: error))")
            }
        }
        // An address that begins without TLS promises nothing.
        #expect(
            try client.send(HTTPRequest(method: "GET", url: server.url("/postonly"), redirects: .follow)).status == 405)
    }

    @Test(arguments: [
        ("http://nowhere.invalid/", TransportError.Kind.resolve), ("http://127.0.0.1:1/", .connect),
        ("file:///etc/passwd", .badRequest), ("http://127.0.0.1/a\r\nX: y", .badRequest),
        ("ftp://127.0.0.1/", .badRequest),
    ])
    func unusableAddressesAreNamed(url: String, kind: TransportError.Kind) {
        let error = #expect(throws: TransportError.self) { try client.send(HTTPRequest(method: "GET", url: url)) }
        #expect(error?.kind == kind, "\(String(describing: error))")
        #expect(error?.description.contains(url) == true)
    }

    @Test func plainHTTPBehindHTTPSIsATLSFault() {
        let url = "https://127.0.0.1:\(server.port)/take"
        #expect(
            #expect(throws: TransportError.self) { try client.send(HTTPRequest(method: "GET", url: url)) }?.kind == .tls
        )
    }

    @Test func aRaisedFlagEndsARequestThatHangs() throws {
        let flag = StopFlag()
        flag.raise()
        let client = try HTTPClient(userAgent: "t", stop: flag)
        let request = HTTPRequest(method: "GET", url: server.url("/hang"))
        #expect(#expect(throws: TransportError.self) { try client.send(request) }?.kind == .stopped)
    }

    @Test func onlyTheFirstBytesOfAnAnswerAreKept() throws {
        var request = HTTPRequest(
            method: "POST", url: server.url("/echo"), body: .bytes([UInt8](repeating: 5, count: 5000)))
        request.limits.keptResponse = 100
        #expect(try client.send(request).body.count == 100)
    }

    /// ESMira's server answers a request for news with the whole study (`update.php`).
    @Test(arguments: [65_536, 65_537, 400_000]) func aPlatformGetsTheWholeAnswer(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let request = WireRequest(method: "POST", url: server.url("/echo"), headers: [], body: bytes)
        #expect(try StudyConnection().send(request).body == bytes)
        #expect(try StudyConnection().download(request).body == bytes)
    }

    @Test func whatIsSentFollowsRedirectsToTheSameHostOnlyAndADownloadAny() throws {
        func request(_ path: String) -> WireRequest {
            WireRequest(method: "POST", url: server.url(path), headers: [], body: [1])
        }
        #expect(try StudyConnection().send(request("/moved/307")).status == 200)
        #expect(throws: TransportError.self) { try StudyConnection().send(request("/portal")) }
        #expect(try StudyConnection().download(request("/portal")).status == 200)
    }

    @Test func studyDownloadPostsFirstAndThenGets() throws {
        let download = SchemaServer(StudyConnection())
        #expect(try download.study(at: server.url("/getonly")) == Array(#"{"a":1}"#.utf8))
        #expect(try download.study(at: server.url("/postonly")) == Array(#"{"seed":"f2d91e73"}"#.utf8))
        // A page for people, as some servers answer what they do not take, is no study.
        #expect(try download.study(at: server.url("/pagetopost")) == Array(#"{"a":1}"#.utf8))
        #expect(throws: DownloadError(url: server.url("/status/403"), status: 403)) {
            try download.study(at: server.url("/status/403"))
        }
    }
}
