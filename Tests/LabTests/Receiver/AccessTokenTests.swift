// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// The token as curl sends it: `-u` is a browser's Basic (RFC 7617), `Bearer` is RFC 6750's.
@Suite(.timeLimit(.minutes(10))) struct AccessTokenTests {
    static let token = "correct-horse-battery-staple"

    @Test(arguments: [
        ([], 401), (["-u", "lab:correct-horse-battery-staple"], 200), (["-u", ":correct-horse-battery-staple"], 200),
        (["-H", "Authorization: Bearer correct-horse-battery-staple"], 200),
        (["-u", "correct-horse-battery-staple:"], 401),
        (["-u", "lab:wrong"], 401), (["-H", "Authorization: Bearer"], 401), (["-H", "Authorization: Basic !!!"], 401),
        (["-H", "Authorization: Bearer correct-horse-battery-stapl"], 401),
    ]) func pageDataAndControlAskForIt(given: [String], status: Int) async throws {
        try await withFolder { folder in
            let study = folder + "/study"
            try FileManager.default.createDirectory(atPath: study, withIntermediateDirectories: true)
            try MyStudiesRoutesTests.activity.write(toFile: study + "/A.json", atomically: true, encoding: .utf8)
            try await withReceiver(
                folder + "/data",
                {
                    $0.token = try? AccessToken(Self.token)
                    $0.played.mystudies = [study]
                }
            ) { url, _ in
                let paths = [
                    "/", "/?user=x", "/api/devices", "/api/records", "/%61pi/records", "/api/files", "/api/refusals",
                    "/api/mystudies/participants",
                ]
                for path in paths {
                    let answer = try await run(["curl", "-s", "-i"] + given + [url + path])
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(path)")
                    #expect(answer.contains("WWW-Authenticate: Basic ") == (status == 401))
                }
                let control = try await run(
                    ["curl", "-s", "-i", "-X", "POST"] + given + [url + "/control/fault?mode=none"])
                #expect(control.hasPrefix("HTTP/1.1 \(status)"))
                let content = try await run(["curl", "-s", "-i"] + given + [url + "/files/1/content"])
                #expect(content.hasPrefix("HTTP/1.1 \(status == 200 ? 404 : 401)"))
            }
        }
    }

    @Test func devicesSendWithoutIt() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.token = try? AccessToken(Self.token) }) { url, _ in
                let fields = SchemaPostTests.log.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                #expect(try await run(["curl", "-s"] + fields + [url + "/schema"]) == "true")
                let created = try await curl(
                    "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 3", url + "/files")
                #expect(created.hasPrefix("HTTP/1.1 201"))
            }
        }
    }

    @Test func aFileIsMadeOnceForItsOwnerAloneAndReadAgain() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let path = folder + "/token"
            let made = try AccessToken(file: path, newToken: { "0123456789abcdef" })
            let again = try AccessToken(file: path, newToken: { "another-token-00" })
            for token in [made, again] {
                #expect(token.admits("Bearer 0123456789abcdef") && !token.admits("Bearer another-token-00"))
            }
            let mode = try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            #expect(mode == 0o600)
            try "short\n".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: FileError.self) { try AccessToken(file: path, newToken: { "" }) }
            let error = #expect(throws: FileError.self) {
                try AccessToken(file: folder + "/none/token", newToken: { "0123456789abcdef" })
            }
            #expect(error?.description.hasSuffix("is not there; make the folder, or name another file") == true)
        }
    }
}
