// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Serves protocol files at `/study/<name>` as a study's web server would. The schema
/// app asks by POST.
///
/// A device that enrols from here is to send the answers here, by the name under which this server
/// was asked: the `post_url` of the file is another's, or has another port.
struct StudyRoutes: Sendable {
    /// Path of the file by the name it is served under.
    let files: [String: String]
    /// True plays a server that refuses POST on static files: 405.
    private let refusesPost: Bool
    /// Files are served with the `post_url` that they have.
    private let keepsPostURL: Bool
    private let keep: @Sendable (String) -> Void

    /// Bytes of a study.
    private static let largest = 16 << 20

    /// Serves each file under the last part of its path. `keep` gets the path of what is served.
    init(paths: [String], refusesPost: Bool, keepsPostURL: Bool = false, keep: @escaping @Sendable (String) -> Void) {
        files = Dictionary(
            paths.map { (String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...]), $0) },
            uniquingKeysWith: { first, _ in first })
        self.refusesPost = refusesPost
        self.keepsPostURL = keepsPostURL
        self.keep = keep
    }

    /// Throws for a file, or one of a folder, that is not JSON, even with the trailing commas that published files of
    /// SageResearch have. Of a folder with `study.toml` devices read only files that are named, so none is checked.
    static func check(_ path: String) throws {
        if FolderListing.readable(path).contains("study.toml") { return }
        let names = KeptStudies.names(in: path)
        for file in names.isEmpty ? [path] : names.map({ "\(path)/\($0)" }) { try checkFile(file) }
    }

    private static func checkFile(_ path: String) throws {
        let bytes = try BoundedFile.read(path, limit: largest)
        do { _ = try JSONNode.lenient(bytes) } catch {
            throw FileError(
                path: path, message: "is not JSON: \(error)", remedy: "correct it, or name a study's file by --serve")
        }
    }

    func addRoutes(to router: inout Router, _ faults: Faults) {
        for method in refusesPost ? ["GET"] : ["GET", "POST"] {
            router.on(method, "/study/:name", bodyLimit: 4096, handler: faults.around(answer))
        }
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let path = files[request.parameters["name"] ?? ""] else { throw HTTPFailure(404, "no such study") }
        keep(path)
        var response = HTTPResponse(200, fields: ["Content-Type": "application/json"], content: .file(path: path))
        if !keepsPostURL, let host = request.fields["host"],
            let bytes = try? BoundedFile.read(path, limit: Self.largest),
            let study = Self.study(
                String(decoding: bytes, as: UTF8.self), to: "\(request.scheme)://\(host)/schema")
        {
            response.content = .bytes(Array(study.utf8))
        }
        return response
    }

    /// The same study with that `post_url`; nil for a text that is no study of schema or momenTUM.
    static func study(_ text: String, to address: String) -> String? {
        guard case .object(var members)? = try? JSONReader.value(text, depthLimit: 128),
            let place = members.firstIndex(where: { $0.name == "properties" }),
            case .object(var properties) = members[place].value
        else { return nil }
        properties.removeAll { $0.name == "post_url" }
        properties.append(.init(name: "post_url", value: .string(address)))
        members[place] = .init(name: "properties", value: .object(properties))
        return JSONValue.object(members).text
    }

    /// What a study says of where answers go, for serving it elsewhere; nil where it says nothing.
    static func postURL(_ text: String) -> String? {
        guard case .object(let members)? = try? JSONReader.value(text, depthLimit: 128),
            case .object(let properties)? = members.first(where: { $0.name == "properties" })?.value,
            case .string(let address)? = properties.first(where: { $0.name == "post_url" })?.value
        else { return nil }
        return address
    }
}
