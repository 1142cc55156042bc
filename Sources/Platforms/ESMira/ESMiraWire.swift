// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Datasets of ESMira: `POST api/datasets.php`, one dataset in each request. `HTTPDestination` asks what an
/// answer means.
///
/// The app puts all waiting datasets into one request. A single malformed one makes the server reject
/// all of them, and the app has to split the request; one in each needs no splitting. The server
/// refuses a request within a second of the previous one of the same user and study, and each refusal
/// starts that second again: hence `minimumInterval`.
package struct ESMiraWire: StudyWire {
    /// What `serverVersion` of a request says: the protocol that is spoken. Servers
    /// want at least 7.
    static let level: Int64 = 11
    /// What `appVersion` says; the server takes no `/`, `+`, `;` or `:` in it.
    static let appVersion = ProgramVersion.text
    /// What `appType` says; the app itself says Android or iOS.
    static let appType = "studyd"

    package init() {}

    /// The server stores a dataset again each time it comes.
    package var storesTwice: Bool { true }

    /// The server's 1000 ms, with a margin.
    package var minimumInterval: Duration { .milliseconds(1_500) }

    /// A FLAC recording, put into an MP4 file because the server takes no FLAC.
    package func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest {
        try ESMiraFileUpload.request(carrying: file, with: fields)
    }

    static let logEndpoint = "save_merlin_log"

    /// A request of JSON, whose first members say who sends it.
    static func post(_ members: [JSONText.Member], by user: String, to url: String) -> WireRequest {
        let client: [JSONText.Member] = [
            .init("userId", .string(user)), .init("appVersion", .string(appVersion)),
            .init("appType", .string(appType)), .init("serverVersion", .integer(level)),
        ]
        return WireRequest(
            method: "POST", url: url,
            headers: [.init(name: "Content-Type", value: "application/json;charset=UTF-8")],
            body: Array(JSONText.object(client + members).text.utf8))
    }

    /// Empty stays empty: such requests wait until an address is given.
    static func address(_ base: String, _ name: String) -> String {
        base.isEmpty ? "" : base + (base.hasSuffix("/") ? "" : "/") + "api/\(name).php"
    }

    /// Files and script logs are answered in other forms than datasets.
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        if request.url.hasSuffix("/api/\(ESMiraFileUpload.endpoint).php") {
            return ESMiraFileUpload.verdict(ESMiraAnswer(body))
        }
        guard request.url.hasSuffix("/api/\(Self.logEndpoint).php"), case .dataset = ESMiraAnswer(body) else {
            return verdict(status: status, body: body)
        }
        return .delivered(receipt: "200 success")
    }

    /// The server's answers all have status 200, and their meaning is in the body. Anything that is not
    /// its JSON (a PHP failure, a page of a proxy) is tried again.
    package func verdict(status: Int, body: [UInt8]) -> Verdict {
        switch ESMiraAnswer(body) {
        case .unreadable(let why): .retry(reason: status == 200 ? why : "status \(status): \(why)")
        case .failed(let error) where error.contains("outdated"): .refused(reason: ESMiraAnswer.outdated(error))
        case .failed(let error) where Self.isUnreadable(error): .refused(reason: error)
        case .failed(let error): .retry(reason: error)
        case .dataset(let dataset): Self.verdict(of: dataset)
        }
    }

    private static func verdict(of dataset: JSONNode) -> Verdict {
        // The answer to a message is `true` and no more.
        if case .boolean(true) = dataset.content { return .delivered(receipt: "200 success") }
        guard let states = dataset["states"]?.array, let state = states.first else {
            return .retry(reason: "the server's answer names no dataset")
        }
        if case .boolean(true)? = state["success"]?.content { return .delivered(receipt: "200 success") }
        guard let error = state["error"]?.text else {
            return .retry(reason: "the server's answer does not say why the dataset was not accepted")
        }
        return isTemporary(error) ? .retry(reason: error) : .refused(reason: error)
    }

    /// Of a request that the server cannot even read, and could not the next time.
    private static func isUnreadable(_ error: String) -> Bool {
        ["Unexpected", "not valid", "Missing data", "TypeError", "too short", "User is faulty"]
            .contains { error.contains($0) }
    }

    /// Sent too soon, the study is locked, or the server's disk: any other error of a dataset would come again
    /// however often it is sent.
    private static func isTemporary(_ error: String) -> Bool {
        [
            "Too many requests", "locked", "Internal Server Error", "Internal token error", "seems to be broken",
        ].contains { error.contains($0) }
    }
}
