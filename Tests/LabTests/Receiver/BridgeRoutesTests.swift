// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Glibc
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// A Bridge server spoken to by curl, with digests made by openssl. Statuses and rules are those of
/// BridgeServer2 (dc19cdea) and of S3's signed addresses.
@Suite(.timeLimit(.minutes(10))) struct BridgeRoutesTests {
    private static func accounts(_ folder: String, _ more: String = "") throws -> String {
        let path = folder + "/accounts"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try
            #"{"appId":"lab","accounts":[{"externalId":"p1","password":"word"},{"externalId":"p2","password":"word","consented":false}]\#(more)}"#
            .write(toFile: path + "/bridge.json", atomically: true, encoding: .utf8)
        return path
    }

    private static func post(
        _ url: String, _ body: String, session: String? = nil, fields: [String] = []
    ) async throws -> String {
        let own = ["Content-Type: application/json"] + (session.map { ["Bridge-Session: \($0)"] } ?? [])
        return try await run(
            ["curl", "-s", "-i", "--max-time", "300", "-d", body] + (own + fields).flatMap { ["-H", $0] } + [url])
    }

    private static func member(_ name: String, of answer: String) -> String {
        let parts = answer.components(separatedBy: "\"\(name)\":\"")
        return parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : ""
    }

    private static func signIn(_ url: String) async throws -> String {
        member(
            "sessionToken",
            of: try await post(
                url + "/bridge/v4/auth/signIn", #"{"appId":"lab","externalId":"p1","password":"word"}"#))
    }

    @Test func anArchiveIsTakenInFourCallsAndKnownAgain() async throws {
        try await withFolder { folder in
            let accounts = try Self.accounts(folder)
            try await withReceiver(folder + "/data", { $0.played.bridge = accounts }) { url, _ in
                let file = folder + "/a.zip"
                try "an archive".write(toFile: file, atomically: true, encoding: .utf8)
                let md5 = try await run(["sh", "-c", "openssl md5 -binary \(file) | base64"])
                    .trimmingCharacters(in: .newlines)
                let session = try await Self.signIn(url)
                let body =
                    #"{"name":"a","contentLength":10,"contentMd5":"\#(md5)","contentType":"application/zip","encrypted":false}"#
                let asked = try await Self.post(url + "/bridge/v3/uploads", body, session: session)
                #expect(asked.hasPrefix("HTTP/1.1 200") && asked.contains("\"type\":\"UploadSession\""))
                let (id, place) = (Self.member("id", of: asked), Self.member("url", of: asked))
                // Asked again before it is complete: the same upload.
                #expect(
                    Self.member("id", of: try await Self.post(url + "/bridge/v3/uploads", body, session: session)) == id
                )
                let early = try await Self.post(url + "/bridge/v3/uploads/\(id)/complete", "{}", session: session)
                #expect(early.hasPrefix("HTTP/1.1 404"))
                func put(
                    _ md5: String, _ file: String, _ type: String = "application/zip", to url: String? = nil
                ) async throws -> String {
                    try await run([
                        "curl", "-s", "-i", "-X", "PUT", "-H", "Content-Type: \(type)", "-H", "Content-MD5: \(md5)",
                        "--data-binary", "@" + file, url ?? place,
                    ])
                }
                let other = folder + "/b.zip"
                try "AN ARCHIVE".write(toFile: other, atomically: true, encoding: .utf8)
                #expect(try await put(md5, other).contains("<Code>BadDigest"))
                #expect(try await put("AAAAAAAAAAAAAAAAAAAAAA==", file).contains("<Code>SignatureDoesNotMatch"))
                #expect(try await put(md5, file, "text/plain").hasPrefix("HTTP/1.1 403"))
                try "short".write(toFile: other, atomically: true, encoding: .utf8)
                #expect(try await put(md5, other).contains("<Code>IncompleteBody"))
                #expect(try await put(md5, file).hasPrefix("HTTP/1.1 200"))
                for _ in 0..<2 {
                    let done = try await Self.post(url + "/bridge/v3/uploads/\(id)/complete", "{}", session: session)
                    #expect(done.contains("\"status\":\"validation_in_progress\""))
                }
                // Of a complete one the same bytes are another upload. Without the member it is an
                // encrypted one (`UploadRequest.encrypted`).
                let again = try await Self.post(
                    url + "/bridge/v3/uploads", body.replacing(#","encrypted":false"#, with: ""), session: session)
                #expect(Self.member("id", of: again) != id)
                #expect(try await put(md5, file, to: Self.member("url", of: again)).hasPrefix("HTTP/1.1 200"))
                for name in ["1.zip", "2.zip.cms"] {
                    #expect(try await run(["cat", folder + "/data/bridge/" + name]) == "an archive")
                }
            }
            // The server is started again: what came is not overwritten.
            try await withReceiver(folder + "/data", { $0.played.bridge = accounts }) { url, _ in
                let file = folder + "/c.zip"
                try "another one".write(toFile: file, atomically: true, encoding: .utf8)
                let md5 = try await run(["sh", "-c", "openssl md5 -binary \(file) | base64"])
                    .trimmingCharacters(in: .newlines)
                let asked = try await Self.post(
                    url + "/bridge/v3/uploads",
                    #"{"name":"c","contentLength":11,"contentMd5":"\#(md5)","contentType":"application/zip","encrypted":false}"#,
                    session: try await Self.signIn(url))
                _ = try await run([
                    "curl", "-s", "-X", "PUT", "-H", "Content-Type: application/zip", "-H", "Content-MD5: \(md5)",
                    "--data-binary", "@" + file, Self.member("url", of: asked),
                ])
                for (name, content) in [("1.zip", "an archive"), ("3.zip", "another one")] {
                    #expect(try await run(["cat", folder + "/data/bridge/" + name]) == content)
                }
            }
        }
    }

    /// An archive that goes to a plain address would cross the net in the clear, or not at all.
    @Test(arguments: ["https", "http"]) func behindAProxyTheStorageIsWhereTheServerIs(scheme: String) async throws {
        try await withFolder { folder in
            let accounts = try Self.accounts(folder)
            try await withReceiver(
                folder + "/data",
                {
                    $0.played.bridge = accounts
                    $0.proxies = ["127.0.0.1"]
                }
            ) { url, _ in
                let asked = try await Self.post(
                    url + "/bridge/v3/uploads",
                    #"{"name":"a","contentLength":10,"contentMd5":"1B2M2Y8AsgTpgAmY7PhCfg==","contentType":"application/zip"}"#,
                    session: try await Self.signIn(url),
                    fields: ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: \(scheme)"])
                #expect(Self.member("url", of: asked).hasPrefix("\(scheme)://127.0.0.1"), "\(asked)")
            }
        }
    }

    /// `UploadValidator`: a name, a type, more than no bytes and at most 50 MB, a digest of 16 bytes.
    @Test(
        arguments: [
            ("a", 1.0, 16, true), ("a", 50_000_000, 16, true), ("", 1, 16, false), ("a", 0, 16, false),
            ("a", -1, 16, false), ("a", 50_000_001, 16, false), ("a", 1, 15, false), ("a", 1, 17, false),
            ("a", 1, 0, false),
        ] as [(String, Double, Int, Bool)])
    func anUploadKeepsToTheRulesOfBridge(name: String, length: Double, digest: Int, isTaken: Bool) async throws {
        try await withFolder { folder in
            let bridge = try BridgeAPI(Self.accounts(folder), directory: folder + "/bridge") { "t" }
            let session = try await bridge.signIn([
                "appId": .string("lab"), "externalId": .string("p1"), "password": .string("word"),
            ]).token
            let md5 = Data(repeating: 7, count: digest).base64EncodedString()
            let body: [String: JSONValue] = [
                "name": .string(name), "contentLength": .number(length), "contentMd5": .string(md5),
                "contentType": .string("application/zip"),
            ]
            do {
                let upload = try await bridge.ask(body, session: session, at: Instant(seconds: 0))
                #expect(isTaken && upload.length == Int(length) && upload.md5 == md5)
            } catch let refusal as BridgeAPI.Refusal { #expect(refusal.status == 400 && !isTaken) }
        }
    }

    /// BridgeServer2's `AccountDisabledException`.
    @Test func theAccountOfARevokedNameIsDisabled() async throws {
        try await withFolder { folder in
            let accounts = try Self.accounts(folder)
            try await withReceiver(folder + "/data", { $0.played.bridge = accounts }) { url, _ in
                _ = try await run(["curl", "-s", "-d", "kind=revoke&participant=p1", url + "/changes"])
                for (password, status) in [("word", 423), ("other", 404)] {
                    let answer = try await Self.post(
                        url + "/bridge/v4/auth/signIn",
                        #"{"appId":"lab","externalId":"p1","password":"\#(password)"}"#)
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
                }
            }
        }
    }

    /// Without its routes, with the accounts p1 and p2.
    private static func bridge(_ folder: String, quota: Quota? = nil) throws -> BridgeAPI {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #"{"appId":"lab","accounts":[{"externalId":"p1","password":"one"},{"externalId":"p2","password":"two"}]}"#
            .write(toFile: folder + "/bridge.json", atomically: true, encoding: .utf8)
        return try BridgeAPI(folder, directory: folder + "/bridge", quota: quota) { UUID().uuidString }
    }

    private static func signIn(_ account: String, _ password: String, to bridge: BridgeAPI) async throws -> String {
        try await bridge.signIn([
            "appId": .string("lab"), "externalId": .string(account), "password": .string(password),
        ]).token
    }

    /// An account has one session; those of others go on.
    @Test func aSignInEndsTheSessionBeforeAndNoOther() async throws {
        try await withFolder { folder in
            let bridge = try Self.bridge(folder)
            func signIn(_ account: String, _ password: String) async throws -> String {
                try await Self.signIn(account, password, to: bridge)
            }
            /// 400 is of an upload that is none, and 401 of a session.
            func status(_ session: String?) async -> Int? {
                do { _ = try await bridge.ask([:], session: session, at: Instant(seconds: 0)) } catch {
                    return (error as? BridgeAPI.Refusal)?.status
                }
                return nil
            }
            let (first, other) = (try await signIn("p1", "one"), try await signIn("p2", "two"))
            #expect(await [status(first), status(other), status(nil), status("x")] == [400, 400, 401, 401])
            let second = try await signIn("p1", "one")
            #expect(await [status(first), status(second), status(other)] == [401, 400, 400])
            // Who cannot sign in ends nothing.
            for (account, password) in [("p1", "two"), ("p3", "one"), ("p2", "")] {
                await #expect(throws: BridgeAPI.Refusal.self) { try await signIn(account, password) }
            }
            #expect(await [status(second), status(other)] == [400, 400])
        }
    }

    /// `UploadService` compares the upload's account with the caller's.
    @Test func anUploadIsOneOfItsAccountAlone() async throws {
        try await withFolder { folder in
            let bridge = try Self.bridge(folder)
            var sessions: [String] = []
            for (account, password) in [("p1", "one"), ("p2", "two")] {
                sessions.append(try await Self.signIn(account, password, to: bridge))
            }
            let upload = try await bridge.ask(
                [
                    "name": .string("a"), "contentLength": .number(1), "contentType": .string("application/zip"),
                    "contentMd5": .string(Data(repeating: 7, count: 16).base64EncodedString()),
                ], session: sessions[0], at: Instant(seconds: 0))
            // To its own account it is one of which no bytes have come.
            for (session, id, status) in [
                (sessions[0], upload.id, 404), (sessions[1], upload.id, 403), (sessions[0], "none", 404),
            ] {
                let refusal = await #expect(throws: BridgeAPI.Refusal.self) {
                    try await bridge.complete(id, session: session)
                }
                #expect(refusal?.status == status)
            }
        }
    }

    /// `UploadService.EXPIRATION`: a day, which begins again when the same bytes are asked for again.
    @Test(arguments: [(0, 86_399, true), (0, 86_400, false), (43_200, 129_599, true), (43_200, 129_600, false)])
    func anAddressIsGoodForADay(askedAgain: Int, put: Int, isTaken: Bool) async throws {
        try await withFolder { folder in
            let bridge = try Self.bridge(folder)
            let session = try await Self.signIn("p1", "one", to: bridge)
            let bytes = Array("an archive".utf8)
            let md5 = Base64.encoded(try ContentMD5.of(bytes))
            var ids: Set<String> = []
            for second in [0, askedAgain] {
                let upload = try await bridge.ask(
                    [
                        "name": .string("a"), "contentLength": .number(Double(bytes.count)),
                        "contentMd5": .string(md5), "contentType": .string("application/zip"),
                    ], session: session, at: Instant(seconds: Int64(second)))
                ids.insert(upload.id)
            }
            #expect(ids.count == 1)
            var status: Int?
            do {
                try await bridge.put(
                    bytes, to: ids.first ?? "", type: "application/zip", md5: md5, at: Instant(seconds: Int64(put)))
            } catch let refusal as BridgeAPI.Refusal { status = refusal.status }
            #expect(status == (isTaken ? nil : 403))
        }
    }

    /// Over restarts, which forget uploads and not files; 507 is WebDAV's "Insufficient Storage" (RFC 4918 §11.5).
    @Test func anAccountHasTheShareOfADevice() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let now = Instant(seconds: 0)
            let quota = Quota(archive: try Archive(.memory), directory: folder, perDevice: 15, free: 0)
            func ask(_ bytes: [UInt8], _ session: String, _ bridge: BridgeAPI) async throws -> BridgeAPI.Upload {
                try await bridge.ask(
                    [
                        "name": .string("a"), "contentLength": .number(Double(bytes.count)),
                        "contentMd5": .string(Base64.encoded(try ContentMD5.of(bytes))),
                        "contentType": .string("application/zip"),
                    ], session: session, at: now)
            }
            func put(_ bytes: [UInt8], _ upload: BridgeAPI.Upload, _ bridge: BridgeAPI) async throws {
                try await bridge.put(bytes, to: upload.id, type: "application/zip", md5: upload.md5, at: now)
            }
            /// The status of a refusal; 200 = it was taken.
            func send(_ count: Int, _ session: String, _ bridge: BridgeAPI) async throws -> Int {
                let bytes = [UInt8](repeating: 7, count: count)
                do { try await put(bytes, try await ask(bytes, session, bridge), bridge) } catch let failure
                    as HTTPFailure
                {
                    return failure.status
                }
                return 200
            }
            let first = try Self.bridge(folder, quota: quota)
            let session = try await Self.signIn("p1", "one", to: first)
            // Asked for while there was room for either.
            let (one, other) = ([UInt8](repeating: 1, count: 10), [UInt8](repeating: 2, count: 10))
            let (asked, later) = (try await ask(one, session, first), try await ask(other, session, first))
            try await put(one, asked, first)
            try await put(one, asked, first)
            let failure = await #expect(throws: HTTPFailure.self) { try await put(other, later, first) }
            #expect(failure?.status == 507)
            #expect(try await send(6, session, first) == 507)
            #expect(try await send(5, session, first) == 200)
            let second = try Self.bridge(folder, quota: quota)
            let again = try await Self.signIn("p1", "one", to: second)
            #expect(try await send(1, again, second) == 507)
            #expect(try await send(15, try await Self.signIn("p2", "two", to: second), second) == 200)
            // The lab has taken the archive away.
            try #require(unlink(folder + "/bridge/1.zip.cms") == 0)
            #expect(try await send(10, again, second) == 200)
        }
    }

    @Test func whoIsNotKnownOrHasNotConsentedIsToldSo() async throws {
        try await withFolder { folder in
            let accounts = try Self.accounts(folder)
            try await withReceiver(folder + "/data", { $0.played.bridge = accounts }) { url, _ in
                let signIn = url + "/bridge/v4/auth/signIn"
                let wrong = try await Self.post(signIn, #"{"appId":"lab","externalId":"p1","password":"other"}"#)
                #expect(wrong.hasPrefix("HTTP/1.1 404") && wrong.contains("Account not found"))
                let early = try await Self.post(signIn, #"{"appId":"lab","externalId":"p2","password":"word"}"#)
                #expect(early.hasPrefix("HTTP/1.1 412") && early.contains("sessionToken"))
                #expect(try await Self.post(url + "/bridge/v3/uploads", "{}").hasPrefix("HTTP/1.1 401"))
            }
        }
    }
}
