// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent

private let subject = CheckSubject(.server, "x")

@Suite struct ServerVerdictTests {
    private static func finding(_ status: Int) -> CheckFinding {
        ServerVerdict(url: "https://x.org/", answer: .success(status), time: .milliseconds(40)).finding(subject)
    }

    @Test(arguments: [200, 204, 401, 403, 404, 405, 501]) func anyAnswerProvesTheWay(_ status: Int) {
        #expect(Self.finding(status).result == .ok)
        #expect(Self.finding(status).detail == "https://x.org/ answered \(status) in 40 ms")
    }

    @Test(arguments: [500, 502, 503]) func aServerInTroubleIsAWarning(_ status: Int) {
        #expect(Self.finding(status).result == .warning)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/", "no connection", "firewall"),
        ("http://no.such.invalid/", "host name not found", "name server"),
        ("https://127.0.0.1:1/", "no connection", "port"), ("gopher://x/", "no answer", "studyd.toml"),
    ])
    func theStageOfAFailureIsNamed(_ url: String, _ stage: String, _ remedy: String) throws {
        let board = try BoardDescription(
            parsing: BoundedFile.text(AgentFixture.package + "/boards/simulated.toml"), file: "b")
        let setting = CheckSetting(
            board: board, clock: SystemClock(), trust: .system(vouched: false), folder: "/tmp")
        var found: [CheckFinding] = []
        ServerProbe(setting: setting, server: CheckServer(name: "study", url: url)).run { found.append($0) }
        #expect(found.count == 1 && found[0].result == .failed && found[0].subject == CheckSubject(.server, "study"))
        #expect(found[0].detail.hasPrefix("\(url): \(stage)") && found[0].remedy?.contains(remedy) == true, "\(found)")
    }
}
