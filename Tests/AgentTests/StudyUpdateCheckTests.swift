// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct StudyUpdateCheckTests {
    private static func esmira(_ version: Int) -> [UInt8] {
        Array(
            #"{"id":7,"version":\#(version),"questionnaires":[{"internalId":71,"title":"EMA","pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":43200000}]}]}]}]}"#
                .utf8)
    }

    private static func schema(_ days: Int) -> [UInt8] { AgentFixture.protocolText(days: days, times: [(9, 0)]) }

    /// `StudyCore` follows a version that counts from when it is taken up once that moment is known.
    @Test(arguments: [
        (
            "esmira", esmira(1), esmira(2),
            "version 2 of the study takes effect once the panel is idle and the clock is known"
        ),
        ("schema", schema(3), schema(4), "version 2 of the study takes effect once the panel is idle"),
    ])
    func whatAVersionWaitsForIsSaid(_ platform: String, _ old: [UInt8], _ new: [UInt8], _ line: String) throws {
        let loaded = try LoadedStudy(old, origin: "study.json", platform: PlatformName(rawValue: platform))
        let known = KnownStudy(
            source: "study.json", participant: "P1", study: loaded.study, bytes: old, version: "1", refused: nil,
            status: nil, messages: [], variables: [:], zone: try Zone.load(AgentFixture.berlin))
        var news = ServerUpdate()
        news.version = ServerUpdate.Version("2", bytes: new)
        let check = StudyUpdateCheck(news, since: known, on: try AgentFixture.panel(AgentFixture.panels[2]))
        #expect(check.lines == [line])
    }
}
