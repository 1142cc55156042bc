// SPDX-License-Identifier: Apache-2.0
import WebServer

/// Serves protocol files at `/study/<name>` as a study's web server would. The schema app asks by POST.
struct StudyRoutes: Sendable {
    /// Path of the file by the name it is served under.
    let files: [String: String]
    /// True plays a server that refuses POST on static files: 405.
    private let refusesPost: Bool

    /// Serves each file under the last part of its path.
    init(paths: [String], refusesPost: Bool) {
        files = Dictionary(
            paths.map { (String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...]), $0) },
            uniquingKeysWith: { first, _ in first })
        self.refusesPost = refusesPost
    }

    func routes(_ router: inout Router, _ faults: Faults) {
        for method in refusesPost ? ["GET"] : ["GET", "POST"] {
            router.on(method, "/study/:name", bodyLimit: 4096, handler: faults.around(answer))
        }
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let path = files[request.parameters["name"] ?? ""] else { throw HTTPFailure(404, "no such study") }
        return HTTPResponse(200, fields: ["Content-Type": "application/json"], content: .file(path: path))
    }
}
