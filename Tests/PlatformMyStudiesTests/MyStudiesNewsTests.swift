// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import Testing

@testable import PlatformMyStudies

/// What is asked of the study metadata server when a version is new, known, or one that this
/// board cannot run.
struct MyStudiesNewsTests {
    /// Answers `studyUpdates` as the server does (study-metadata's `StudyUpdatesResponse`), and
    /// has nothing else.
    private final class Metadata: PlatformDevice {
        private let version: String
        private let asked = Mutex<[String]>([])
        var paths: [String] { asked.withLock { $0 } }

        init(version: String) { self.version = version }

        func send(_ request: WireRequest) throws -> ServerAnswer {
            asked.withLock { $0.append(String(request.url.split(separator: "/").last?.prefix { $0 != "?" } ?? "")) }
            let text =
                #"{"message":"SUCCESS","currentVersion":"\#(version)","updates":{"consent":false,"activities":true,"resources":false,"info":false,"status":"Active"}}"#
            let isThere = request.url.contains("studyUpdates")
            return ServerAnswer(status: isThere ? 200 : 404, body: isThere ? Array(text.utf8) : [])
        }

        func download(_ request: WireRequest) throws -> ServerAnswer { try send(request) }
        func secret(_ credential: String) throws -> String { "" }
    }

    @Test(arguments: [("1.1", "1.1", false), ("1.2", "1.1", true), ("1.1", nil, true)] as [(String, String?, Bool)])
    func aVersionThatThisBoardRefusedIsNotFetchedAgain(version: String, refused: String?, isFetched: Bool) throws {
        let task = try MyStudiesReaderTests.activity(MyStudiesReaderTests.question("boolean", ""))
        let text = """
            {"message":"SUCCESS","activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"2.1"},
            "steps":[\(MyStudiesReaderTests.question("boolean", ""))]}}
            """
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        #expect(study.tasks[0].key == task.key)
        let device = Metadata(version: version)
        let server = MyStudiesServer(MyStudiesSettings(response: "http://127.0.0.1/r"), over: device)
        let news = server.news(
            since: KnownStudy(
                source: "http://127.0.0.1/m", participant: "p", study: study, bytes: Array(text.utf8), version: "1.0",
                refused: refused, status: "Active", messages: [], variables: [:], zone: .utc))
        #expect(device.paths.contains("studyUpdates"))
        #expect(
            Set(device.paths).subtracting(["studyUpdates", "notifications"]).isEmpty == !isFetched, "\(device.paths)")
        #expect(news.faults.isEmpty == !isFetched && news.version == nil, "\(news.faults)")
    }
}
