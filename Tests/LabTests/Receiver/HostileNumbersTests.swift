// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab

/// Numbers from outside that fit no `Int`, in every place where one is read, sent by curl: whatever
/// comes, every page is still given afterwards. JSON sets no bounds to numbers (RFC 8259 §6);
/// 1.7976931348623157e308 and 5e-324 are the ends of IEEE 754's doubles.
@Suite(.timeLimit(.minutes(10))) struct HostileNumbersTests {
    static let numbers = [
        "-1.7e308", "1.7e308", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "-5e-324", "1e999",
        "-1e999", "-0",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "1e19",
        "170141183460469231731687303715884105728", "0.1", "1e-400",
    ]
    static let pages = [
        "/", "/?user=ABDEG234", "/api/devices", "/api/records", "/api/files", "/api/refusals",
    ]

    private func post(_ url: String, _ fields: [(String, String)]) async throws {
        try await run(["curl", "-s"] + fields.flatMap { ["--form-string", "\($0.0)=\($0.1)"] } + [url + "/schema"])
    }

    private func everyPageIsGiven(_ url: String) async throws {
        for page in Self.pages {
            let answer = try await curl(url + page)
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(page): \(answer.prefix(200))")
        }
    }

    @Test func twoPostsThatSpanMoreThanANumberCanHoldEndNothing() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                for value in ["-1.7e308", "1.7e308"] {
                    let fields = SchemaPostTests.response.map {
                        ($0.0, $0.0 == "responses" ? "{\"q\":\(value)}" : $0.1)
                    }
                    try await post(url, fields)
                }
                let records = try await curl(url + "/api/records")
                #expect(records.contains("1.7e308"))
                try await everyPageIsGiven(url)
            }
        }
    }

    @Test func everyNumberInEveryPlaceOfAPostEndsNothing() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let all = Self.numbers.enumerated().map { "\"q\($0.offset % 3)\":\($0.element)" }.joined(separator: ",")
                try await post(url, SchemaPostTests.response.map { ($0.0, $0.0 == "responses" ? "{\(all)}" : $0.1) })
                for number in Self.numbers {
                    for (name, _) in SchemaPostTests.response where name.hasSuffix("_ms") || name == "module_index" {
                        try await post(url, SchemaPostTests.response.map { ($0.0, $0.0 == name ? number : $0.1) })
                    }
                    try await post(
                        url, SchemaPostTests.response.map { ($0.0, $0.0 == "responses" ? "{\"q\":\(number)}" : $0.1) })
                    try await post(url, SchemaPostTests.log.map { ($0.0, $0.0 == "timestamp_in_ms" ? number : $0.1) })
                    for query in ["records?limit=\(number)", "records?before=\(number)"] {
                        #expect(try await curl(url + "/api/" + query).hasPrefix("HTTP/1.1 "))
                    }
                    let length = try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: \(number)", url + "/files")
                    #expect(length.hasPrefix("HTTP/1.1 4"))
                    let content = Data(number.utf8).base64EncodedString()
                    let restored = try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 10", "-H",
                        "Upload-Metadata: content_encoding enN0ZA==,content_filename YQ==,content_sha256 \(Data(String(repeating: "0", count: 64).utf8).base64EncodedString()),content_length \(content)",
                        url + "/files")
                    #expect(restored.hasPrefix("HTTP/1.1 "))
                }
                try await everyPageIsGiven(url)
            }
        }
    }

    @Test func theEndsOfTheScaleAreDrawnAtItsEnds() {
        let svg = Sparkline(question: "q", values: [-1.7e308, 0, 1.7e308]).html.text
        let heights = svg.split(separator: "cy=\"").dropFirst().compactMap { Int($0.prefix { $0 != "\"" }) }
        #expect(heights == [32, 18, 4])
    }
}
