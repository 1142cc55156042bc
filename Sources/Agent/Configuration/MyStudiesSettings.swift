// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How the servers of FDA MyStudies are reached: the `[mystudies]` table.
public struct MyStudiesSettings: Sendable, Hashable {
    /// The Response server, up to the part before `/response-enroll.api`.
    public let response: String
    /// `response`, or the older `mobileappstudy` that shipped apps still use.
    public let controller: String
    /// The application's bundle id at the study metadata server; a box must be known there as an `ios` one to be given every task.
    public let application: String?
    /// The file with the application's secret: absolute, or the name of a systemd credential. Never printed or logged.
    public let credential: String?
    /// Sent as the header `language`.
    public let language: String?

    /// A Response server that needs no application: a lab's own.
    public init(response: String) {
        self.response = response
        controller = "response"
        (application, credential, language) = (nil, nil, nil)
    }

    init(_ table: ConfigTable) throws {
        response = try table.required("response", table.string("response"))
        guard response.hasPrefix("http://") || response.hasPrefix("https://"), !response.hasSuffix("/") else {
            throw table.error("response", "is no address; write one with https:// and without a slash at its end")
        }
        controller = try table.string("controller") ?? "response"
        guard ["response", "mobileappstudy"].contains(controller) else {
            throw table.error("controller", "is '\(controller)'; the server knows response and mobileappstudy")
        }
        application = try table.string("application")
        credential = try table.string("credential")
        language = try table.string("language")
        guard (application == nil) == (credential == nil) else {
            throw table.error("application", "and credential go together; give both or none")
        }
    }

    /// The address of an action of the Response server: `enroll`, `processResponse`.
    public func address(of action: String) -> String { "\(response)/\(controller)-\(action).api" }

    /// The secret; throws where its file cannot be read, or others can read it.
    func secret() throws -> String? {
        guard let credential else { return nil }
        let folder = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
        let path = credential.hasPrefix("/") ? credential : "\(folder ?? ".")/\(credential)"
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFault(path: path, message: String(cString: strerror(errno))) }
        guard status.st_mode & 0o077 == 0 || folder != nil && !credential.hasPrefix("/") else {
            throw FileFault(path: path, message: "holds a secret that others may read; chmod 600 it")
        }
        let text = try BoundedFile.text(path)
        return String(text.prefix { !$0.isNewline })
    }
}
