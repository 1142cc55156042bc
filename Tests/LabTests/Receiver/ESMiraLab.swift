// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation

@testable import Lab
@testable import StandIns

/// A receiver that plays the server of ESMira with one study, and a clock that the test moves.
struct ESMiraLab: Sendable {
    let url: String
    let file: String
    let clock: MovableClock
    let said: Said

    /// The recorded requests and answers of the real server; empty where they are not.
    static let fixtures: String = {
        let folder = folderAbove("shared/fixtures/esmira")
        if folder.isEmpty { print("SKIPPED: no fixtures of ESMira beside the checkout (shared/fixtures/esmira)") }
        return folder
    }()

    static func fixture(_ name: String) throws -> String {
        try String(contentsOfFile: fixtures + "/" + name, encoding: .utf8)
    }

    /// A study of our own: a questionnaire with everything that the server looks at.
    static let study = """
        {"id":7,"version":1,"title":"T","published":true,"accessKeys":["Key"],"randomGroups":2,"enableRewardSystem":true,
        "publicStatistics":{"charts":[],"observedVariables":{"n":[{"conditions":[],"conditionType":0,"storageType":0,"timeInterval":86400},
        {"conditions":[{"key":"f","value":"1"}],"conditionType":1,"storageType":1,"timeInterval":0},
        {"conditions":[],"conditionType":0,"storageType":2,"timeInterval":0}],
        "f":[{"conditions":[],"conditionType":0,"storageType":2,"timeInterval":0}]}},
        "questionnaires":[{"internalId":71,"title":"Q","minDataSetsForReward":2,"pages":[{"inputs":[{"name":"n","responseType":"number"},
        {"name":"f","responseType":"likert"},{"name":"v","responseType":"record_audio"}]}]},
        {"internalId":72,"title":"Other","limitToGroup":2,"minDataSetsForReward":1,"pages":[]}]}
        """

    static func with(
        _ study: String = study, file name: String = "study.json",
        _ body: @Sendable @escaping (ESMiraLab) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/studies", withIntermediateDirectories: true)
            let file = folder + "/studies/" + name
            try study.write(toFile: file, atomically: true, encoding: .utf8)
            let (clock, said) = (MovableClock(), Said())
            try await withReceiver(
                folder + "/data", { $0.played.esmira = [folder + "/studies"] }, clock: clock, said: said
            ) { url, _ in
                try await body(ESMiraLab(url: url, file: file, clock: clock, said: said))
            }
        }
    }

    /// What an endpoint answers; with a body it is posted.
    func ask(_ name: String, _ body: String? = nil, more: [String] = []) async throws -> JSONValue {
        let words = ["curl", "-s", "-S", "--max-time", "300"] + (body == nil ? [] : ["--data-binary", "@-"]) + more
        let text = try await run(words + [url + "/esmira/api/" + name], input: body)
        return try JSONReader.value(text, depthLimit: 64)
    }

    /// What the lab asks, as text.
    func api(_ path: String) async throws -> String {
        try await run(["curl", "-s", "-S", "--max-time", "300", url + "/api/esmira/" + path])
    }

    func control(_ path: String, _ body: String = "") async throws -> String {
        try await run(
            ["curl", "-s", "-S", "--max-time", "300", "--data-binary", "@-", url + "/control/esmira/" + path],
            input: body)
    }

    static func request(_ user: String, _ entries: String...) -> String {
        """
        {"userId":"\(user)","appVersion":"1","appType":"test","serverVersion":11,"dataset":[\(entries.joined(separator: ","))]}
        """
    }

    /// An entry of the study 7.
    static func entry(
        _ id: Int, _ event: String = "joined", questionnaire: Int = -1, group: Int = 1, time: Int = 1_795_245_000_000,
        responses: String = "{}"
    ) -> String {
        """
        {"dataSetId":\(id),"studyId":7,"studyVersion":1,"studySubVersion":0,"studyLang":"en","group":\(group),"accessKey":"key","token":0,
        "reupload":false,"questionnaireName":"Q","questionnaireInternalId":\(questionnaire),"eventType":"\(event)","responseTime":\(time),
        "responses":\(responses)}
        """
    }
}

extension JSONValue {
    /// With the members of every object in the order of their names, so that two values
    /// can be compared.
    var sorted: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.sorted))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.sorted) }.sorted { $0.name < $1.name })
        default: self
        }
    }

    subscript(_ place: Int) -> JSONValue? { array.flatMap { place < $0.count ? $0[place] : nil } }

    /// `id: error`, or `id: ok`, for each state of an answer of datasets.php.
    var states: [String] {
        (self["dataset"]?["states"]?.array ?? []).map { state in
            "\(state["dataSetId"]?.text ?? "?"): \(state["error"]?.string ?? "ok")"
        }
    }
}
