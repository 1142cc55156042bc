// SPDX-License-Identifier: Apache-2.0
import Study
import Synchronization
import Testing

@testable import PlatformSchema

/// A study is fetched as schema's app does it (45fd178), with a POST, and then as momenTUM's does, with a GET.
@Suite struct SchemaServerTests {
    private final class Server: PlatformDevice {
        private let posted: ServerAnswer
        private let got: ServerAnswer
        private let requests = Mutex<[String]>([])
        /// The methods with their bodies.
        var asked: [String] { requests.withLock { $0 } }

        init(posted: (Int, String), got: (Int, String)) {
            self.posted = ServerAnswer(status: posted.0, body: Array(posted.1.utf8))
            self.got = ServerAnswer(status: got.0, body: Array(got.1.utf8))
        }

        func download(_ request: WireRequest) throws -> ServerAnswer {
            requests.withLock { $0.append(request.method + " " + String(decoding: request.body, as: UTF8.self)) }
            return request.method == "POST" ? posted : got
        }

        func send(_ request: WireRequest) throws -> ServerAnswer { try download(request) }
        func secret(_ credential: String) throws -> String { "" }
    }

    @Test(arguments: [
        (200, "{}", true), (200, "\u{FEFF}{}", true), (200, " \t\r\n{\"a\":1}", true), (200, "{", true),
        (299, "{}", true), (199, "{}", false), (300, "{}", false), (404, "{\"error\":1}", false),
        (500, "{}", false), (200, "", false), (200, "[{}]", false), (200, "<html>{}", false), (200, "\u{FEFF}", false),
    ])
    func aGetFollowsAPostThatGivesNoObject(_ status: Int, _ body: String, _ isStudy: Bool) throws {
        let server = Server(posted: (status, body), got: (200, "{\"got\":1}"))
        let bytes = try SchemaServer(server).study(at: "https://s.example/a.json")
        #expect(String(decoding: bytes, as: UTF8.self) == (isStudy ? body : "{\"got\":1}"))
        #expect(server.asked == ["POST seed=f2d91e73"] + (isStudy ? [] : ["GET "]))
    }

    @Test(arguments: [199, 300, 404, 500]) func whereNeitherGivesAStudyTheLastAnswerIsSaid(_ status: Int) {
        let server = Server(posted: (405, ""), got: (status, "{}"))
        let error = #expect(throws: DownloadError.self) {
            try SchemaServer(server).study(at: "https://s.example/a.json")
        }
        #expect(error?.status == status && server.asked.count == 2)
    }
}
