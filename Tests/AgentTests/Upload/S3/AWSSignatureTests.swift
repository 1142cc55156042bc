// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import S3Servers
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct AWSSignatureTests {
    private typealias Field = AWSSignature.Field

    /// S3 API Reference, "Signature Calculations for the Authorization Header: Transferring Payload in a
    /// Single Chunk", with the keys printed there.
    struct Example: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var query: [[String]] = []
        var headers: [[String]] = []
        var body = ""
        let signature: String
        var testDescription: String { "\(method) \(path) \(query)" }
    }

    static let examples = [
        Example(
            method: "GET", path: "/test.txt", headers: [["Range", "bytes=0-9"]],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            method: "PUT", path: "/test$file.text",
            headers: [["Date", "Fri, 24 May 2013 00:00:00 GMT"], ["x-amz-storage-class", "REDUCED_REDUNDANCY"]],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            method: "GET", path: "/", query: [["lifecycle", ""]],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            method: "GET", path: "/", query: [["prefix", "J"], ["max-keys", "2"]],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples) func amazonsOwnExamplesHaveTheirSignatures(_ example: Example) throws {
        let keys = AWSSignature.Keys(
            access: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        let payload = try Digest(ofText: example.body).description
        let request = AWSSignature.Request(
            method: example.method, host: "examplebucket.s3.amazonaws.com", path: example.path,
            query: example.query.map { Field(name: $0[0], value: $0[1]) },
            headers: example.headers.map { Field(name: $0[0], value: $0[1]) }
                + [Field(name: "x-amz-content-sha256", value: payload)], payload: payload)
        let signed = try AWSSignature(keys: keys, region: "us-east-1")
            .signed(request, at: Instant(rfc3339: "2013-05-24T00:00:00Z"))
        let proof = try #require(signed.last { $0.name == "Authorization" }?.value)
        #expect(
            proof.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "))
        #expect(proof.hasSuffix("Signature=\(example.signature)"), "\(proof)")
    }

    // MARK: - awslabs/aws-c-auth, tests/aws-signing-test-suite/v4

    private static let suite = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../../shared/fixtures/delivery/aws-sigv4").standardizedFileURL
    static let cases: [String] = {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: suite.path)) ?? []
        let cases = found.filter {
            FileManager.default.fileExists(atPath: suite.appendingPathComponent("\($0)/request.txt").path)
        }
        if cases.isEmpty { print("SKIPPED: AWS's 38 cases of signatures are not in \(suite.path)") }
        return cases.sorted()
    }()

    private struct Context: Decodable {
        struct Credentials: Decodable {
            let accessKeyId: String
            let secretAccessKey: String
            let token: String?
        }
        let credentials: Credentials
        let normalize: Bool
        let region: String
        let service: String
        let signBody: Bool
        let timestamp: String
        let omitSessionToken: Bool?
    }

    /// A request as the suite writes it: a line that begins with a blank belongs to the field above.
    private func request(_ text: String, _ context: Context) throws -> AWSSignature.Request {
        let parts = text.components(separatedBy: "\n\n")
        let body = parts.dropFirst().joined(separator: "\n\n")
        var lines = parts[0].components(separatedBy: "\n").filter { !$0.isEmpty }
        let first = lines.removeFirst()
        let target = first.dropFirst(first.prefix { $0 != " " }.count + 1).dropLast(" HTTP/1.1".count)
        var headers: [Field] = []
        for line in lines {
            if line.hasPrefix(" "), let last = headers.popLast() {
                headers.append(Field(name: last.name, value: last.value + line))
            } else {
                let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                headers.append(Field(name: String(pair[0]), value: String(pair[1])))
            }
        }
        let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let payload = try Digest(ofText: body).description
        let host = try #require(headers.first { $0.name.lowercased() == "host" }?.value)
        headers.removeAll { $0.name.lowercased() == "host" }
        if context.signBody { headers.append(Field(name: "x-amz-content-sha256", value: payload)) }
        let query = pieces.count < 2 || pieces[1].isEmpty ? [] : pieces[1].components(separatedBy: "&")
        return AWSSignature.Request(
            method: String(first.prefix { $0 != " " }), host: host,
            path: context.normalize ? normalised(pieces[0]) : pieces[0].removingPercentEncoding ?? pieces[0],
            query: query.map { pair in
                let parts = pair.components(separatedBy: "=").map { $0.removingPercentEncoding ?? $0 }
                return Field(name: parts[0], value: parts.count > 1 ? parts[1] : "")
            }, headers: headers, payload: payload)
    }

    /// What every service but S3 does before it signs (RFC 3986 §5.2.4, and `//` as `/`).
    private func normalised(_ path: String) -> String {
        var parts: [String] = []
        for part in path.components(separatedBy: "/") where !part.isEmpty && part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part.removingPercentEncoding ?? part) }
        }
        return "/" + parts.joined(separator: "/") + (path.hasSuffix("/") && !parts.isEmpty ? "/" : "")
    }

    @Test(.enabled(if: !cases.isEmpty, "AWS's cases are missing"), arguments: cases)
    func eachCaseOfAmazonsSuiteHasItsCanonicalFormAndSignature(_ name: String) throws {
        func text(_ file: String) throws -> String {
            try String(contentsOf: Self.suite.appendingPathComponent("\(name)/\(file)"), encoding: .utf8)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let context = try decoder.decode(Context.self, from: Data(text("context.json").utf8))
        var request = try request(text("request.txt"), context)
        let isOmitted = context.omitSessionToken == true
        let keys = AWSSignature.Keys(
            access: context.credentials.accessKeyId, secret: context.credentials.secretAccessKey,
            session: isOmitted ? nil : context.credentials.token)
        let signature = AWSSignature(keys: keys, region: context.region, service: context.service)
        let signed = try signature.signed(request, at: Instant(rfc3339: context.timestamp))
        request.headers = signed.dropLast()
        #expect(try signature.canonical(request) == text("header-canonical-request.txt"))
        #expect(try signed.last?.value.hasSuffix("Signature=\(text("header-signature.txt"))") == true)
    }

    // MARK: - botocore

    static let python = ProcessInfo.processInfo.environment["STUDYD_S3_PYTHON"] ?? "python3"
    static let hasOracle = S3TestServer.runs(python, importing: "botocore")

    /// Names with every kind of character, queries out of order, values with blanks.
    @Test(.enabled(if: hasOracle, "botocore is missing: pip install botocore, or name a python in STUDYD_S3_PYTHON"))
    func aThousandRequestsAreSignedAsBotocoreSignsThem() throws {
        var dice = SplitMix64(seed: 29)
        let alphabet = Array("abcXYZ019 -_.~/+=&%$@!*'(),;:żß€🦔\"<>")
        func word(_ longest: Int) -> String {
            String(
                (0..<Int(dice.next() % UInt64(longest)) + 1).map { _ in
                    alphabet[Int(dice.next() % UInt64(alphabet.count))]
                })
        }
        let cases = try (0..<1000).map { _ in
            try Case(
                method: ["GET", "PUT", "POST", "HEAD", "DELETE"][Int(dice.next() % 5)], host: "study.example.org:8333",
                path: "/bucket/" + word(30), query: (0..<Int(dice.next() % 4)).map { ["\($0)" + word(6), word(6)] },
                headers: ["x-amz-meta-a": "v  \(dice.next() % 9)", "Content-Type": "text/plain"],
                payload: Digest(ofText: word(5)).description, time: "20260101T0000\(10 + dice.next() % 50)Z",
                region: "eu-central-1", session: dice.next() % 3 == 0 ? "token/+\(dice.next())" : "")
        }
        let input = try cases.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let wanted = try S3TestServer.answers(Self.python, "oracle.py", input: input)
        #expect(wanted.count == cases.count)
        for (one, wanted) in zip(cases, wanted) { #expect(try one.signature() == wanted, "\(one)") }
    }

    struct Case: Encodable {
        let method, host, path: String
        let query: [[String]]
        let headers: [String: String]
        let payload, time, region, session: String

        func signature() throws -> String {
            let keys = AWSSignature.Keys(
                access: "AKID", secret: "a+secret/key", session: session.isEmpty ? nil : session)
            let request = AWSSignature.Request(
                method: method, host: host, path: path, query: query.map { .init(name: $0[0], value: $0[1]) },
                headers: headers.map { .init(name: $0, value: $1) } + [
                    .init(name: "x-amz-content-sha256", value: payload)
                ],
                payload: payload)
            let moment = try Instant(rfc3339: "2026-01-01T00:00:\(time.suffix(3).prefix(2))Z")
            let signed = try AWSSignature(keys: keys, region: region).signed(request, at: moment)
            return String(signed.last?.value.suffix(64) ?? "")
        }
    }

    /// RFC 4231 §4.2, §4.3 and §4.4; HMAC(3) takes the key of the call before for an empty one.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func messageCodesAreThoseOfTheStandard(_ key: [UInt8], _ message: String, _ wanted: String) throws {
        #expect(try MessageAuthenticationCode.sha256(Array(message.utf8), key: key).hexadecimal == wanted)
    }
}
