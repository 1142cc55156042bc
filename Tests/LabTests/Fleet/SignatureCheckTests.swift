// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Database
import Foundation
import SystemKit
import Testing

@testable import Lab

/// A Python with http-message-signatures: `STUDYD_PYTHON` or `python3`.
private let signingPython = python(with: "http_message_signatures")

/// Requests that are signed, sent by curl to the real server, which asks for keys.
@Suite(.timeLimit(.minutes(10))) struct SignatureCheckTests {
    private static let device = TestDevice(1)
    private static let contentType = ("Content-Type", "application/json")
    private static let name = ("Studyd-Device", "board-1")
    private static let start = StillClock().now

    private func inReceiver(
        clock: any StudyClock = StillClock(), _ body: @Sendable @escaping (String) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .required }, clock: clock) { url, _ in
                try await DeviceKeys(.file(folder + "/devices.sqlite")).add(
                    [("P007", Self.device.publicKey)], at: Self.start)
                try await body(url + "/reports")
            }
        }
    }

    private func send(_ url: String, _ options: [String], _ body: String = FleetSamples.text) async throws -> String {
        try await run(["curl", "-s", "-i", "--max-time", "60", "--data-binary", "@-"] + options + [url], input: body)
    }

    private func signed(_ device: TestDevice, _ url: String, nonce: String? = nil) throws -> [String] {
        try device.options("POST", url, [Self.contentType, Self.name], body: FleetSamples.text, nonce: nonce)
    }

    @Test func aRequestCountsOnce() async throws {
        try await inReceiver { url in
            let options = try signed(Self.device, url)
            #expect(try await send(url, options).hasPrefix("HTTP/1.1 200"))
            let again = try await send(url, options)
            #expect(again.hasPrefix("HTTP/1.1 401") && again.contains("used before"))
            #expect(try await send(url, signed(Self.device, url)).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func aRevokedKeyIsRefusedAlsoWhereThatCannotBeNoted() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .required }, clock: StillClock()) { server, _ in
                let (url, keys) = (server + "/reports", try DeviceKeys(.file(folder + "/devices.sqlite")))
                try await keys.add([("P007", Self.device.publicKey)], at: Self.start)
                try await keys.revoke("P007", at: Self.start)
                try Connection(.file(folder + "/receiver.sqlite")).execute(
                    "CREATE TRIGGER diskIsFull BEFORE INSERT ON refusal BEGIN SELECT RAISE(ABORT, 'full'); END")
                let answer = try await send(url, signed(Self.device, url))
                #expect(answer.hasPrefix("HTTP/1.1 403") && answer.contains("this device was revoked"), "\(answer)")
            }
        }
    }

    /// libcurl tells the length of a POST without a body, by which tus makes the place of a file.
    @Test func theLengthOfNoBodyNeedNotBeSigned() async throws {
        try await inReceiver { url in
            let place = url.replacing("/reports", with: "/files")
            let labels = [
                ("filename", "a.csv"), ("sha256", try Digest(ofText: "abc").description), ("item", "i1"),
                ("participant", "P007"),
            ].map { "\($0.0) \(Data($0.1.utf8).base64EncodedString())" }.joined(separator: ",")
            let options = try Self.device.options(
                "POST", place, [("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", labels)])
            let answer = try await run(
                ["curl", "-s", "-i", "--max-time", "60", "--data", "", "-H", "Content-Type:"] + options + [place])
            #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
        }
    }

    /// Everything that means something is covered: whatever is changed on the way is noticed.
    @Test(arguments: ["query", "type", "device", "body", "field", "length", "label", "absent", "two"])
    func whatIsChangedOnTheWayIsNoticed(part: String) async throws {
        try await inReceiver { url in
            var options = try signed(Self.device, url)
            func replace(_ old: String, _ new: String) { options = options.map { $0.replacing(old, with: new) } }
            var (target, body, status) = (url, FleetSamples.text, 401)
            switch part {
            case "query": target += "?x=1"
            case "type": replace("application/json", "application/jsoN")
            case "device":
                replace("board-1", "board-2")
                status = 400
            case "body": (body, status) = (body.replacing("board-1", with: "board-2"), 400)
            case "field": options += ["-H", "Upload-Offset: 0"]
            case "length": (body, status) = (body + " ", 400)
            case "label": replace("Signature: s=", "Signature: t=")
            case "absent": options.removeLast(2)
            default: options += ["-H", #"Signature-Input: t=("@method");created=1"#]
            }
            let answer = try await send(target, options, body)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            #expect(try await send(url, signed(Self.device, url)).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test(arguments: [(-301, 401), (-300, 200), (300, 200), (301, 401), (-1_000_000_000, 401)])
    func aClockMayBeOffByFiveMinutes(seconds: Int64, status: Int) async throws {
        try await inReceiver { url in
            var device = Self.device
            device.now = Self.start + .seconds(seconds)
            let answer = try await send(url, signed(device, url))
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
            guard status == 401 else { return }
            // RFC 9421 §5.1: the nonce that is wanted makes the clock irrelevant, once.
            let field = try #require(
                answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Accept-Signature: ") })
            let nonce = try #require(SignatureInput(field: String(field.dropFirst(18)))?.nonce)
            #expect(answer.contains("\r\nDate: Thu, 28 May 2026 20:26:40 GMT\r\n"))
            #expect(try await send(url, signed(device, url, nonce: nonce)).hasPrefix("HTTP/1.1 200"))
            #expect(try await send(url, signed(device, url, nonce: nonce)).contains("used before"))
        }
    }

    @Test(arguments: [(300, true), (301, false)])
    func aNonceIsGoodForFiveMinutes(seconds: Int64, isFresh: Bool) {
        let issuer = NonceIssuer(secret: [1, 2, 3])
        let nonce = issuer.issue(at: Self.start)
        #expect(issuer.isFresh(nonce, at: Self.start) && !issuer.isFresh(nonce, at: Self.start - .milliseconds(1)))
        #expect(issuer.isFresh(nonce, at: Self.start + .seconds(seconds)) == isFresh)
        #expect(!NonceIssuer(secret: [1, 2, 4]).isFresh(nonce, at: Self.start))
        for other in ["", "AAAA", String(nonce.dropLast(8)) + "AAAAAAA="] {
            #expect(!issuer.isFresh(other, at: Self.start))
        }
    }

    /// A device whose clock is wrong asks for its log, its answers and its report at once.
    @Test func noTwoNoncesAreAlike() {
        let issuer = NonceIssuer(secret: [1, 2, 3])
        #expect(Set((0..<10).map { _ in issuer.issue(at: Self.start) }).count == 10)
    }

    /// No signature is good for longer than ten minutes, so that what was seen before can be forgotten.
    @Test func aNonceIsKnownAsLongAsItsSignatureIsGood() {
        var memory = NonceMemory(at: .zero, limit: 3)
        /// Whether each is taken at that second.
        func taken(_ names: String, at second: Int) -> [Bool] {
            names.map { memory.takeFirst(String($0), at: .zero + .seconds(second)) }
        }
        #expect(taken("aa", at: 0) == [true, false] && taken("ab", at: 600) == [false, true])
        // The next generation begins; the one before is still known.
        #expect(taken("c", at: 601) == [true] && taken("ab", at: 1200) == [false, false])
        #expect(taken("da", at: 1202) == [true, true])
        // Two generations at most are kept, so that "e" is forgotten.
        #expect(taken("efgh", at: 1203) == [true, true, true, true])
        #expect(taken("he", at: 1203) == [false, true])
    }

    /// A clock that is years off delivers all the same: the client signs the nonce that it was given.
    @Test(arguments: [-1_200_000_000, 0, 1_200_000_000])
    func aDeviceWithoutATimeIsHeard(seconds: Int64) async throws {
        try await inReceiver { url in
            let answer = try await Self.device.report(
                FleetSamples.text, to: String(url.dropLast("/reports".count)), at: Self.start + .seconds(seconds))
            #expect(answer.answer.contains("received"))
        }
    }

    /// A log's name is no secret of the one that it is of: who knows it, and has no key, reports
    /// nothing of it.
    @Test func whatAStrangerSaysOfADevicesLogIsPassedOver() async throws {
        let (log, hash) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
        try await inReceiver { url in
            let files = url.dropLast("/reports".count) + "/files"
            @Sendable func tell(_ rows: String) async throws -> Bool {
                let fields = [
                    ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1"), ("Content-Type", "text/plain"),
                    ("Upload-Metadata", "user_id UDAwNw==,filename YQ=="), ("Studyd-Log", "\(log) \(rows)"),
                ]
                let options = try Self.device.options("POST", String(files), fields)
                let answer = try await run(["curl", "-s", "-i", "-X", "POST"] + options + [String(files)])
                #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
                return answer.contains("Studyd-Countersigned: ")
            }
            #expect(try await tell("7:\(hash)"))
            let stranger = ["-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 1"]
            let lie = ["-H", "Studyd-Log: \(log) \(Int64.max):\(hash)"]
            for name in [[], ["-H", "Studyd-Device: P007"]] {
                _ = try await run(["curl", "-s", "-X", "POST"] + stranger + lie + name + [String(files)])
            }
            #expect(try await tell("9:\(hash) 7:\(hash)"), "still fits what was said")
        }
    }

    // MARK: Another implementation

    private let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/http_signatures.py"

    private func python(_ verb: String, _ url: String, _ options: [String], nonce: String = "") async throws -> String {
        let fields = options.filter { $0 != "-H" }.map { line -> [String] in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return [String(line[..<colon]), String(line[colon...].dropFirst(2))]
        }
        let told: [String: Any] = [
            "method": "POST", "url": url, "fields": fields, "body": FleetSamples.text,
            "seed": String(repeating: "01", count: 32), "created": 1_780_000_000, "nonce": nonce,
        ]
        let input = String(decoding: try JSONSerialization.data(withJSONObject: told), as: UTF8.self)
        return try await run([signingPython ?? "", script, verb], input: input)
    }

    @Test(.enabled(if: signingPython != nil, "no Python with http-message-signatures (STUDYD_PYTHON)"))
    func anotherImplementationBelievesOursAndIsBelieved() async throws {
        try await inReceiver { url in
            for target in [url, url + "?a=b%20c&d", url + "?"] {
                let covered = try await python("verify", target, signed(Self.device, target))
                #expect(
                    covered
                        == "@authority @method @path @query content-digest content-length content-type studyd-device\n",
                    "\(target)")
            }
            let plain = [Self.contentType, Self.name].flatMap { ["-H", "\($0.0): \($0.1)"] }
            let options = try await python("sign", url, plain, nonce: "n1").split(separator: "\n").map(String.init)
            let answer = try await send(url, options)
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(options) \(answer)")
        }
    }

    /// What a device has signed of its log is confirmed with the receiver's key, by its clock; what
    /// contradicts an earlier word, or is not signed, is not.
    @Test(.enabled(if: signingPython != nil, "no Python with http-message-signatures (STUDYD_PYTHON)"))
    func theReceiverSignsHowFarALogHasCome() async throws {
        let (log, hash) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
        @Sendable func tell(_ url: String, _ row: String) async throws -> String? {
            let fields = [Self.contentType, Self.name, ("Studyd-Log", "\(log) \(row)")]
            let options = try Self.device.options("POST", url, fields, body: FleetSamples.text)
            let answer = try await send(url, options)
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            let line = answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Studyd-Countersigned: ") }
            return line.map { String($0.dropFirst(22)) }
        }
        try await inReceiver { url in
            let text = try #require(try await tell(url, "7:\(hash)"))
            let told = String(decoding: try JSONSerialization.data(withJSONObject: ["text": text]), as: UTF8.self)
            let said = try await run([signingPython ?? "", script, "countersigned"], input: told)
            #expect(said == "\(log) 7:\(hash) 1780000000 \(Self.device.publicKey)\n")
            #expect(try await tell(url, "7:\(String(repeating: "c", count: 32))") == nil)
            #expect(try await tell(url, "9:\(hash)") == nil, "row 7, said before, is missing")
        }
    }
}
